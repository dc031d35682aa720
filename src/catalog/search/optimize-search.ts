import type { Database } from "../../db/database.ts";
import { mergePages } from "../../db/merge-pages.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { countTrigrams } from "./search-terms.ts";

/**
 * Index pages merged in a step: one or two milliseconds of the write lock. The channels of one term are merged at
 * once, however few the pages: of 300,000 channels that took up to 23 ms of a busy processor.
 */
const PAGES = 16;

/**
 * Merges the search index into one segment: after many changes it has some twenty, and a search is
 * two to three times slower. Then counts how many channels have each trigram, by which searches are
 * planned.
 */
export async function optimizeSearch(db: Database, clock: Clock): Promise<void> {
  // A negative number of pages starts a merge of all segments.
  await inTransaction(db, clock, "merge-search", () => mergePages(db, "channel_search", -PAGES));
  await mergeSearch(db, clock);
  await countTrigrams(db, clock);
}

/**
 * Merges segments of the search index where it has many of a size; to be called after each
 * transaction that wrote to it. FTS5 would do so itself, but within that transaction, where a large
 * merge held the lock for 60 to 90 ms each time: it is turned off (migration 008).
 */
export async function mergeSearch(db: Database, clock: Clock): Promise<void> {
  await inParts(db, clock, "merge-search", () => mergePages(db, "channel_search", PAGES));
}
