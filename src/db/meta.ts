import { type Database, statement } from "./database.ts";

/** Facts about the file itself. */
export type MetaName = "cursor_secret" | "directories_loaded";

/** @throws Error where the file has no such fact */
export function readMeta(db: Database, name: MetaName): Uint8Array {
  const value = findMeta(db, name);
  if (value === undefined) throw new Error(`the meta table has no row ${name}`);
  return value;
}

export function findMeta(db: Database, name: MetaName): Uint8Array | undefined {
  return statement<{ value: Uint8Array }>(db, "SELECT value FROM meta WHERE name = ?").get(name)
    ?.value;
}

export function writeMeta(db: Database, name: MetaName, value: Uint8Array): void {
  statement(db, "INSERT INTO meta (name, value) VALUES (?, ?)").run(name, value);
}

/** Writes a fact as it stands: by that it shows whether the storage takes writes at all. */
export function rewriteMeta(db: Database): void {
  statement(db, "UPDATE meta SET value = value WHERE name = 'directories_loaded'").run();
}
