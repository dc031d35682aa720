import { type Database, statement } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../ports/clock.ts";
import { countTrigrams } from "./search-terms.ts";

/** Index pages merged in a transaction: some 5 ms of the write lock. */
const PAGES = 64;
const PAUSE_MS = 3;

/**
 * Merges the search index into one segment: after many changes it has some twenty, and a search is
 * two to three times slower. Done in small steps, since the lock is others' too; a step that
 * writes less than two rows had nothing left to do (FTS5's documentation of `merge`). Then counts
 * what the index has of each trigram, by which searches are planned.
 */
export async function optimizeSearch(db: Database, clock: Clock): Promise<void> {
  const merge = statement(
    db,
    "INSERT INTO channel_search (channel_search, rank) VALUES ('merge', ?)",
  );
  const totalChanges = statement<{ n: number }>(db, "SELECT total_changes() AS n");
  const step = (pages: number): Promise<number> =>
    inTransaction(db, clock, "optimize-search", () => {
      const before = totalChanges.get()?.n ?? 0;
      merge.run(pages);
      return (totalChanges.get()?.n ?? 0) - before;
    });
  // The first step, negative, starts a merge of all segments.
  let written = await step(-PAGES);
  while (written >= 2) {
    await clock.sleep(PAUSE_MS);
    written = await step(PAGES);
  }
  await countTrigrams(db, clock);
}
