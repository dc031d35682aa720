import { expect, test } from "bun:test";
import { createBulk } from "../../../src/catalog/exports/bulk.ts";
import type { BulkSelection } from "../../../src/catalog/exports/bulk-selection.ts";
import { createSharedClaims, type SharedClaims, wordsOfTable } from "../../../src/values/claims.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

/** Claims that all workers share: each view of the same memory stands for one worker. */

function workersOf(): { claims: SharedClaims[]; die(number: number): void } {
  const words = new BigInt64Array(wordsOfTable(64));
  const dead = new Set<number>();
  const claims = [1, 2].map((processId) =>
    createSharedClaims(words, { processId, nowMs: () => 1, isAlive: (id) => !dead.has(id) }),
  );
  return { claims, die: (number) => dead.add(number) };
}

test("an organization can run two exports over all workers, and a dead worker's exports are released", async () => {
  const appliance: Appliance = await startAppliance();
  const { db } = appliance.app.domains;
  const { claims, die } = workersOf();
  const empty = { content: new Uint8Array(), rows: 0, next: null, last: null };
  const [one, other] = claims.map((places) =>
    createBulk(db, async () => empty, appliance.ports, places),
  );
  const start = (bulk = one, organizationId = 1) =>
    bulk?.start({} as BulkSelection, null, { organizationId, charge: async () => null });
  const [first] = [await start(one), await start(other)];
  for (const worker of [one, other]) {
    await expect(start(worker)).rejects.toMatchObject({ code: "throttled" });
  }
  await start(other, 2);
  first?.close();
  await start(other);
  await expect(start(one)).rejects.toMatchObject({ code: "throttled" });
  die(2);
  await start(one);
  await start(one);
  await appliance.close();
});
