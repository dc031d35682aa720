import { type Database, statement, type Transaction } from "./database.ts";

/** Names of the rows of `meta`: facts about the file itself. */
export type MetaName =
  | "assistant_seen"
  | "cursor_secret"
  | "directories_loaded"
  | "first_call"
  | `followed ${string}`
  | "imported"
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
  statement(
    tx,
    `INSERT INTO meta (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ).run(name, value);
}

/** Rewrites a fact unchanged, which shows whether the storage accepts writes at all. */
export function rewriteMeta(tx: Transaction): void {
  statement(tx, "UPDATE meta SET value = value WHERE name = 'directories_loaded'").run();
}
