import { expect, test } from "bun:test";
import { stepAt, stepOf } from "../../../src/catalog/channels/search-index.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { fakeClock } from "../../support/fake-ports.ts";

test("the step of a channel is the same here and in the table, and never rises with subscribers", async () => {
  const powers = Array.from({ length: 16 }, (_, at) => 10 ** at);
  const counts = powers
    .flatMap((power) => [power - 1, power, 1.9 * power, 2 * power, 2.1 * power, 9.9 * power])
    .map(Math.floor)
    .concat(Number.MAX_SAFE_INTEGER)
    .filter((count) => Number.isSafeInteger(count))
    .sort((a, b) => a - b);
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const db = openDatabase(":memory:", clock);
  await migrate(db, clock);
  const insert = db.prepare(
    "INSERT INTO channels (kind, is_public, subscribers, search_text) VALUES (?, 1, ?, ?)",
  );
  for (const count of counts) insert.run("channel", count, "");
  const steps = db.prepare(`SELECT ${stepAt("place")} FROM channels ORDER BY id`);
  expect(steps.raw().all().flat()).toEqual(counts.map(stepOf));
  expect(counts.map(stepOf)).toEqual(counts.map(stepOf).toSorted((a, b) => b - a));
  db.close();
});
