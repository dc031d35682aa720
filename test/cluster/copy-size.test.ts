import { beforeEach, expect, test } from "bun:test";
import { copyFromCluster, ROWS_AT_FIRST } from "../../src/cluster/cluster-transaction.ts";
import { copiedVersion } from "../../src/cluster/link.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { onLockHeld } from "../../src/db/lock.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";

/**
 * A copying transaction is as large as the file's speed allows, and at least as large as another node's
 * commit.
 */

newClusterEachTest();

const COMMITS = 60;

beforeEach(async () => {
  if (!hasPostgres) return;
  const { accounts } = one.app.domains;
  for (let at = 0; at < COMMITS; at++) {
    await accounts.createOrganization({ name: `Org ${at}`, plan: "start" }, COMMAND_LINE);
  }
});

/** Copies by a clock. @returns the number of transactions that it took */
async function transactions(clock: Clock): Promise<number> {
  let count = 0;
  onLockHeld(other.db, (work) => {
    if (work === "copy-cluster") count += 1;
  });
  await copyFromCluster(other.db, clock);
  expect(copiedVersion(other.db)).toBe(copiedVersion(one.db));
  return count;
}

test.skipIf(!hasPostgres)("commits are copied in one transaction if that is quick", async () => {
  expect(await transactions(cluster.ports.clock)).toBeLessThanOrEqual(3);
});

test.skipIf(!hasPostgres)(
  "each commit is copied in a transaction of its own if one takes long",
  async () => {
    const { clock } = cluster.ports;
    let ms = 0;
    const slow: Clock = {
      ...clock,
      monotonic() {
        ms += 400;
        return ms;
      },
    };
    // Each commit has at least two rows: its own, and one of the audit log.
    const inFirst = ROWS_AT_FIRST / 2;
    expect(await transactions(slow)).toBeGreaterThan(COMMITS - inFirst);
    expect(await transactions(slow)).toBe(0);
  },
);
