import { type Database, statement } from "../../db/database.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { countTrigrams } from "./search-terms.ts";

/** Index pages merged in a step: one or two milliseconds of the write lock. */
const PAGES = 16;

/**
 * Merges the search index into one segment: after many changes it has some twenty, and a search is
 * two to three times slower. Then counts how many channels have each trigram, by which searches are
 * planned.
 */
export async function optimizeSearch(db: Database, clock: Clock): Promise<void> {
  // A negative number of pages starts a merge of all segments.
  await inTransaction(db, clock, "merge-search", () => mergePages(db, -PAGES));
  await mergeSearch(db, clock);
  await countTrigrams(db, clock);
}

/**
 * Merges segments of the search index where it has many of a size; to be called after each
 * transaction that wrote to it. FTS5 would do so itself, but within that transaction, where a large
 * merge held the lock for 60 to 90 ms each time: it is turned off (migration 008).
 */
export async function mergeSearch(db: Database, clock: Clock): Promise<void> {
  await inParts(db, clock, "merge-search", () => mergePages(db, PAGES));
}

/** False where nothing was left to merge: less than two rows were written (FTS5's documentation of `merge`). */
function mergePages(db: Database, pages: number): boolean {
  const totalChanges = statement<{ n: number }>(db, "SELECT total_changes() AS n");
  const before = totalChanges.get()?.n ?? 0;
  statement(db, "INSERT INTO channel_search (channel_search, rank) VALUES ('merge', ?)").run(pages);
  return (totalChanges.get()?.n ?? 0) - before >= 2;
}
