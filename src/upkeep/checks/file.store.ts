import type { Database } from "../../db/database.ts";

/** Limit for the lines of SQLite's own report. */
const LINES_MAX = 20;

/** SQLite's integrity check, which includes the search index's own structure. */
export function fileFaults(db: Database): string[] {
  const rows = db.pragma<Record<string, string>>(`integrity_check(${LINES_MAX})`);
  return rows.flatMap((row) => Object.values(row)).filter((line) => line !== "ok");
}

/** Rows that refer to a missing row of another table. */
export function foreignKeyFaults(db: Database): string[] {
  const rows = db.pragma<{ table: string; parent: string }>("foreign_key_check");
  const counts = new Map<string, number>();
  for (const { table, parent } of rows) {
    const kind = `Rows of ${table} without their row of ${parent}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${kind}: ${count}.`);
}
