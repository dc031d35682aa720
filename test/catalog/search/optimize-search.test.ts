import { expect, test } from "bun:test";
import { createSearchIndex } from "../../../src/catalog/channels/search-text.ts";
import { mergeSearch } from "../../../src/catalog/search/search-terms.ts";
import { statement } from "../../../src/db/database.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { fakeClock } from "../../support/fake-ports.ts";

test("writing to the search index merges nothing, and merging keeps its segments few", async () => {
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const db = openDatabase(":memory:", clock);
  await migrate(db, clock);
  const insert = statement(
    db,
    "INSERT INTO channels (kind, is_public, subscribers) VALUES ('channel', 1, 1)",
  );
  const segments = () =>
    statement<{ n: number }>(db, "SELECT count(DISTINCT segid) AS n FROM channel_search_idx").get()
      ?.n;
  const index = createSearchIndex(db);
  const write = (title: string): Promise<void> =>
    inTransaction(db, clock, "import", () => {
      const id = Number(insert.run().lastInsertRowid);
      index.adding(id);
      index.put(id, title, "");
      index.write();
    });

  for (let at = 0; at < 60; at++) await write(`канал ${at}`);
  expect(segments()).toBe(60);
  for (let at = 0; at < 200; at++) {
    await write(`чат ${at}`);
    await mergeSearch(db, clock);
  }
  expect(segments()).toBeLessThan(20);
});
