import type { Database } from "../../db/database.ts";
import { mergePages } from "../../db/meta.ts";
import { inParts, inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { countTrigrams } from "./search-terms.ts";

/**
 * Index pages to merge per step: one or two milliseconds of the write lock. But all channels of a term are
 * merged at once, however few pages are requested: with 300,000 channels that took up to 23 ms on a busy
 * processor.
 */
const PAGES = 16;

/**
 * Merges the search index into one segment: after many changes it has some twenty, and searches are two to
 * three times slower. Then counts the channels of each trigram, which the planner relies on.
 */
export async function optimizeSearch(db: Database, clock: Clock): Promise<void> {
  // A negative number of pages starts a merge of all segments.
  await inTransaction(db, clock, "merge-search", () => mergePages(db, "channel_search", -PAGES));
  await mergeSearch(db, clock);
  await countTrigrams(db, clock);
}

/**
 * Merges segments of the search index if there are many of similar size. Must be called after each
 * transaction that wrote to it. FTS5's own merging is off (migration 008), because it runs inside that
 * transaction, where a large merge held the lock for 60 to 90 ms.
 */
export async function mergeSearch(db: Database, clock: Clock): Promise<void> {
  await inParts(db, clock, "merge-search", () => mergePages(db, "channel_search", PAGES));
}
