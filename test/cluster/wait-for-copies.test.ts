import { describe, expect, test } from "bun:test";
import { waitForCopies } from "../../src/cluster/link.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { channel, imported } from "../support/expectations.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";

/** `kanalog import --wait` on a node, while the others run. */

newClusterEachTest();

describe.skipIf(!hasPostgres)("waiting for all nodes", () => {
  const hasChannel = () => other.db.prepare("SELECT 1 FROM channels WHERE id = 1").get() != null;
  /** A clock whose sleeps pass when a function returns. */
  const sleeping = (during: () => Promise<void>) => ({ ...systemClock, sleep: during });

  test("ends at once if they have everything", async () => {
    await imported(one, "channels", [channel(1)]);
    await cluster.copyAll();
    const clock = sleeping(() => Promise.reject(new Error("it waits")));
    expect(await waitForCopies(one.db, clock)).toEqual([]);
  });

  test("ends once the last of them has copied", async () => {
    await imported(one, "channels", [channel(1)]);
    await one.copy();
    let looks = 0;
    const clock = sleeping(async () => {
      looks += 1;
      expect(hasChannel()).toBe(false);
      if (looks === 3) await other.copy();
    });
    expect(await waitForCopies(one.db, clock)).toEqual([]);
    expect(looks).toBe(3);
    expect(hasChannel()).toBe(true);
  });
});
