import type { Database, Transaction } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";

/** Notes, in the rows' own transaction, that an import wrote days or posts: jobs that compute from them follow. */
export function noteImported(tx: Transaction, nowMs: number): void {
  writeMeta(tx, "imported", Buffer.from(String(nowMs)));
}

/** When an import last wrote days or posts; null where none did, or one whose clock was wrong. */
export function importedAt(db: Database, nowMs: number): number | null {
  const noted = findMeta(db, "imported");
  const atMs = noted === undefined ? null : Number(Buffer.from(noted).toString());
  return atMs === null || atMs > nowMs ? null : atMs;
}
