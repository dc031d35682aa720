import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { catchUpPosts } from "../../../src/catalog/post-search/catch-up.ts";
import { selectFoundPosts } from "../../../src/catalog/post-search/finding/select-found.store.ts";
import { selectParts } from "../../../src/catalog/post-search/parts.store.ts";
import { readPostQuery } from "../../../src/catalog/post-search/post-query.ts";
import type { FoundPage } from "../../../src/catalog/post-search/post-search.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import {
  giveBack,
  letGoOldParts,
  removeOldMonths,
} from "../../../src/upkeep/retention/old-months.ts";
import { createMachine, type Machine } from "../../support/machine.ts";

/** Months that are no longer kept are removed at night, and the file shrinks. */

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const NO_FILTER = {
  ...{ channelId: null, categoryId: null, territoryId: null, fromMs: null, untilMs: null },
  ...{ isAd: null, media: null, viewsMin: null },
};
const AT = Date.parse("2026-11-28T00:00:00Z");
const clock = { ...systemClock, now: () => AT };

async function importRows(kind: string, rows: object[]): Promise<void> {
  machine.write(`${kind}.ndjson`, rows.map((row) => JSON.stringify(row)).join("\n"));
  const { exitCode, notes } = await machine.run(["import", kind, `${kind}.ndjson`]);
  expect([exitCode, notes]).toEqual([0, expect.anything()]);
}

test("a search that is reading a month while it is dropped sees all of it, and the next one none", async () => {
  await importRows("channels", [{ id: 1, title: "A", subscribers: 1 }]);
  await importRows(
    "posts",
    Array.from({ length: 40 }, (_, at) => ({
      ...{ id: at + 1, channel: 1, text: `Ипотека ${at}` },
      published_at: new Date(Date.UTC(2026, at < 20 ? 6 : 10, 1 + (at % 20))).toISOString(),
    })),
  );
  using db = openDatabase(machine.database, systemClock);
  using reader = openDatabase(machine.database, systemClock, "reader");
  const query = readPostQuery("ипотека");
  if (query === null) throw new Error("nothing to search");
  const selection = { query, filter: NO_FILTER, ordering: "published_at", after: null } as const;
  const search = () => selectFoundPosts(reader, { ...selection, limit: 100, nowMs: AT });
  const ids = (page: FoundPage) => page.results.map(({ id }) => id);
  const all = Array.from({ length: 40 }, (_, at) => at + 1);
  expect(ids(search())).toEqual(all);
  reader.exec("BEGIN");
  // The snapshot begins with the first read.
  expect(ids(search())).toEqual(all);
  await letGoOldParts(db, clock, { posts: 1, statistics: null });
  await removeOldMonths(db, clock, { posts: 1, statistics: null });
  const partsOf = () => selectParts(db).length;
  while (partsOf() > 1) await catchUpPosts(db, systemClock, true);
  expect(ids(search())).toEqual(all);
  reader.exec("COMMIT");
  expect(ids(search())).toEqual(all.slice(20));
}, 120_000);

test("months that are no longer kept are removed with their index, and the file shrinks", async () => {
  await importRows("channels", [{ id: 1, title: "A", subscribers: 1 }]);
  const text = "Ипотека и дача ".repeat(60);
  await importRows(
    "posts",
    Array.from({ length: 1_200 }, (_, at) => ({
      ...{ id: at + 1, channel: 1, text: `${text}${at}` },
      // Ten months; the last of each is the last moment of its Moscow month.
      published_at: new Date(
        at % 120 === 119
          ? Date.UTC(2026, Math.floor(at / 120) + 1, 1) - 3 * 3_600_000 - 1
          : Date.UTC(2026, Math.floor(at / 120), 1 + (at % 120) / 5),
      ).toISOString(),
    })),
  );
  await importRows("stats", [
    { channel: 1, day: "2026-08-31", subscribers: 1 },
    { channel: 1, day: "2026-09-01", subscribers: 2 },
  ]);
  const db = openDatabase(machine.database, systemClock);
  const count = (sql: string) =>
    db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`).get()?.n;
  const kept = { posts: 3, statistics: 3 };
  await letGoOldParts(db, clock, kept);
  expect(await removeOldMonths(db, clock, kept)).toEqual({
    posts: { before: "2026-09-01", removed: 960 },
    statistics: { before: "2026-09-01", removed: 1 },
  });
  expect([count("posts"), count("searched_posts"), count("daily_statistics")]).toEqual([
    240, 240, 1,
  ]);
  while (count("post_search_parts WHERE state = 'leaving'") !== 0) {
    await catchUpPosts(db, systemClock, true);
  }
  expect(count("post_search_parts")).toBe(2);
  db.pragma("wal_checkpoint(TRUNCATE)");
  const before = statSync(machine.database).size;
  await giveBack(db, clock);
  db.pragma("wal_checkpoint(TRUNCATE)");
  expect(statSync(machine.database).size).toBeLessThan(before / 2);
  expect(db.pragmaValue("freelist_count")).toBe(0);
  db.close();
  const { exitCode, out } = await machine.run(["check"]);
  expect(out).not.toContain("✗");
  expect(exitCode).toBe(0);
}, 120_000);
