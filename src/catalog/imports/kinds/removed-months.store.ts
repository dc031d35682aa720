import type { Database, Transaction } from "../../../db/database.ts";
import { findMeta, type MetaName, writeMeta } from "../../../db/meta.ts";
import { AppError } from "../../../errors.ts";
import { parseJson } from "../../../values/json-text.ts";
import { message } from "../../../values/messages/messages.ts";
import { DAY_MS, type Day, formatDay, HOUR_MS } from "../../../values/moscow-time.ts";

/**
 * Removals of months that are no longer kept. An export reads part by part, and without them would have some
 * rows of such a month and lack the others.
 */

/** Rows that are removed by month. */
export type RemovedRows = "posts" | "stats";

interface Removal {
  /** How many removals there were, with this one. */
  number: number;
  before: Day;
  /** When it last went on. */
  at: number;
  isOver: boolean;
}

/** Removals as an export saw them when it began. */
export interface SeenRemovals {
  number: number;
  /** The rows of days before were being removed, so none of them is exported; null if none were. */
  leftOutBefore: Day | null;
}

export const NO_REMOVALS: SeenRemovals = { number: 0, leftOutBefore: null };

const nameOf = (rows: RemovedRows): MetaName => `removed ${rows}`;

/** The latest removal; null if there was none. */
export function lastRemoval(db: Database, rows: string): Removal | null {
  if (rows !== "posts" && rows !== "stats") return null;
  const value = findMeta(db, nameOf(rows));
  return value === undefined ? null : (parseJson(value) as Removal);
}

function write(tx: Transaction, rows: RemovedRows, removal: Removal): void {
  writeMeta(tx, nameOf(rows), Buffer.from(JSON.stringify(removal)));
}

/** How long a removal may stand still, because its process was killed, until the next night goes on with it. */
const STANDS_STILL_MS = 2 * DAY_MS;
/** How often it is noted that a removal goes on. */
const NOTED_EVERY_MS = HOUR_MS;

/** Called in each transaction that removes, or takes from searches, some of the rows of days before one. */
export function noteRemoval(tx: Transaction, nowMs: number, rows: RemovedRows, before: Day): void {
  const last = lastRemoval(tx, rows);
  const goesOn = last !== null && !last.isOver && last.before === before;
  if (goesOn && last.at > nowMs - NOTED_EVERY_MS) return;
  const number = (last?.number ?? 0) + (goesOn ? 0 : 1);
  write(tx, rows, { number, before, at: nowMs, isOver: false });
}

export function endRemoval(tx: Transaction, rows: RemovedRows): void {
  const last = lastRemoval(tx, rows);
  if (last !== null && !last.isOver) write(tx, rows, { ...last, isOver: true });
}

/** @param rows of any kind; those that are not removed by month have no removals */
export function seenRemovals(db: Database, nowMs: number, rows: string): SeenRemovals {
  const last = lastRemoval(db, rows);
  if (last === null) return NO_REMOVALS;
  const isUnderWay = !last.isOver && last.at > nowMs - STANDS_STILL_MS;
  return { number: last.number, leftOutBefore: isUnderWay ? last.before : null };
}

/**
 * Called after a part was read: what it lacks was removed by then.
 * @param from the first day exported
 * @throws AppError `unavailable` if rows that the export should have were removed since it began
 */
export function requireNoRemovalSince(
  db: Database,
  rows: string,
  { number }: SeenRemovals,
  from: Day,
): void {
  const last = lastRemoval(db, rows);
  if (last === null || last.number === number || from >= last.before) return;
  throw new AppError("unavailable", message("monthsRemoved", { before: formatDay(last.before) }), {
    retryAfterS: 1,
  });
}
