import type { Database, Transaction } from "../../db/database.ts";
import { findMeta, type MetaName, writeMeta } from "../../db/meta.ts";

/**
 * Counts, in the rows' own transaction, that an import wrote days or posts: jobs that compute from them follow. A
 * count and no time, since the clocks of two nodes, or of one that was set, differ.
 */
export function countImport(tx: Transaction): void {
  writeCount(tx, "imported", countOf(tx, "imported") + 1);
}

/** Notes that a run of a job begins, which computes from all that was imported until now. */
export function noteFollowed(tx: Transaction, job: string): void {
  writeCount(tx, `followed ${job}`, countOf(tx, "imported"));
}

/** Whether nothing was imported since a job's last run began. */
export function hasFollowed(db: Database, job: string): boolean {
  return countOf(db, `followed ${job}`) === countOf(db, "imported");
}

/** A former program's is a time in milliseconds, from which is counted on. */
function countOf(db: Database, name: MetaName): number {
  return Number(Buffer.from(findMeta(db, name) ?? []).toString());
}

function writeCount(tx: Transaction, name: MetaName, count: number): void {
  writeMeta(tx, name, Buffer.from(String(count)));
}
