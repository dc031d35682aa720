import type { Database, Transaction } from "../../../db/database.ts";
import { findMeta, type MetaName, writeMeta } from "../../../db/meta.ts";

/**
 * Counts imports that wrote days or posts, in the rows' own transaction; jobs that compute from such rows
 * compare the count. It is a count rather than a time because clocks differ between nodes and can be set
 * back.
 */
export function countImport(tx: Transaction): void {
  writeCount(tx, "imported", countOf(tx, "imported") + 1);
}

/** Records that a run of a job begins, which covers everything imported so far. */
export function noteFollowed(tx: Transaction, job: string): void {
  writeCount(tx, `followed ${job}`, countOf(tx, "imported"));
}

/** Whether nothing was imported since a job's last run began. */
export function hasFollowed(db: Database, job: string): boolean {
  return countOf(db, `followed ${job}`) === countOf(db, "imported");
}

function countOf(db: Database, name: MetaName): number {
  return Number(Buffer.from(findMeta(db, name) ?? []).toString());
}

function writeCount(tx: Transaction, name: MetaName, count: number): void {
  writeMeta(tx, name, Buffer.from(String(count)));
}
