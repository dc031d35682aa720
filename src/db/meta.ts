import { type Database, statement, type Transaction } from "./database.ts";

/** Names of the rows of `meta`: facts about the file itself. */
export type MetaName =
  | "assistant_seen"
  | "cursor_secret"
  | "directories_loaded"
  | "first_call"
  | `followed ${string}`
  | "imported"
  | `removed ${string}`
  | "sample"
  | "sample_kept"
  | "usage_removed_until";

/** @throws Error if the file lacks this fact */
export function readMeta(db: Database, name: MetaName): Uint8Array {
  const value = findMeta(db, name);
  if (value === undefined) throw new Error(`the meta table has no row ${name}`);
  return value;
}

export function findMeta(db: Database, name: MetaName): Uint8Array | undefined {
  return statement<{ value: Uint8Array }>(db, "SELECT value FROM meta WHERE name = ?").get(name)
    ?.value;
}

export function writeMeta(tx: Transaction, name: MetaName, value: Uint8Array): void {
  const sql = `INSERT INTO meta (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  statement(tx, sql).run(name, value);
}

/** Rewrites a fact unchanged, which shows whether the storage accepts writes at all. */
export function rewriteMeta(tx: Transaction): void {
  statement(tx, "UPDATE meta SET value = value WHERE name = 'directories_loaded'").run();
}

/**
 * Merges some pages of an FTS5 table's segments.
 * @param pages about how many; negative to begin a merge of all segments
 * @returns false if nothing was left to merge, that is, fewer than two rows were written (FTS5's
 * documentation of `merge`)
 */
export function mergePages(db: Database, table: string, pages: number): boolean {
  const totalChanges = statement<{ n: number }>(db, "SELECT total_changes() AS n");
  const before = totalChanges.get()?.n ?? 0;
  statement(db, `INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(pages);
  return (totalChanges.get()?.n ?? 0) - before >= 2;
}
