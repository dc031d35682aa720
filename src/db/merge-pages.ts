import { type Database, statement } from "./database.ts";

/**
 * Merges some pages of an FTS5 table's segments.
 * @param pages about how many; negative to begin a merge of all segments
 * @returns false if nothing was left to merge, that is, fewer than two rows were written (FTS5's
 * documentation of `merge`)
 */
export function mergePages(
  db: Database,
  table: "channel_search" | "post_search",
  pages: number,
): boolean {
  const totalChanges = statement<{ n: number }>(db, "SELECT total_changes() AS n");
  const before = totalChanges.get()?.n ?? 0;
  statement(db, `INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(pages);
  return (totalChanges.get()?.n ?? 0) - before >= 2;
}
