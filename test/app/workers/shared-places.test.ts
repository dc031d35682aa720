import { expect, test } from "bun:test";
import { createBulk } from "../../../src/catalog/exports/bulk.ts";
import type { BulkSelection } from "../../../src/catalog/exports/bulk-selection.ts";
import type { SelectionView } from "../../../src/catalog/search/catalog.ts";
import { createLargeSelections } from "../../../src/catalog/search/search.ts";
import { createSharedClaims, type SharedClaims, wordsOfTable } from "../../../src/values/claims.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { fakeClock } from "../../support/fake-ports.ts";

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

test("over all workers one large selection is counted at a time, and at most five wait", async () => {
  const { claims } = workersOf();
  const clock = { ...fakeClock("2026-11-20T12:00:00+03:00"), sleep: () => Bun.sleep(0) };
  let [counted, most] = [0, 0];
  const holds: (() => void)[] = [];
  const count = async (): Promise<SelectionView> => {
    counted += 1;
    most = Math.max(most, counted);
    await new Promise<void>((resolve) => holds.push(resolve));
    counted -= 1;
    return { channels: 1 } as SelectionView;
  };
  const workers = claims.map((turns) => createLargeSelections(count, clock, turns));
  const statisticsFrom = (worker: number, subscribersMin: number) =>
    workers[worker]?.describe({ subscribersMin } as Parameters<(typeof workers)[0]["describe"]>[0]);
  const counts = [1, 2, 3, 4, 5].map((min) => statisticsFrom(min % 2, min));
  for (const worker of [0, 1]) {
    await expect(statisticsFrom(worker, 9)).rejects.toMatchObject({ code: "throttled" });
  }
  for (let at = 0; at < 5; at++) {
    while (holds[at] === undefined) await Bun.sleep(0);
    holds[at]?.();
  }
  expect(await Promise.all(counts)).toEqual(Array(5).fill({ channels: 1 } as SelectionView));
  expect(most).toBe(1);
  const again = statisticsFrom(0, 9);
  while (holds.length < 6) await Bun.sleep(0);
  holds[5]?.();
  expect(await again).toEqual({ channels: 1 } as SelectionView);
});
