import { type Database, statement, type Transaction } from "../../db/database.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS, dayOf } from "../../values/moscow-time.ts";
import { type Limits, RETENTION } from "./retention-rules.ts";

/** Most rows to look for at once, outside any transaction. */
const FOUND_MAX = 1_000;

/** Values of the primary key's columns, as `k0`, `k1` and so on. */
export type RowKey = Record<string, unknown>;

/** The same time in each of the formats that tables have. */
export interface Until {
  until: number;
  untilText: string;
  untilDay: number;
}

/** The rows of a table that are too old: some of them, while there are any. */
export function selectAged(db: Database, table: string, limits: Limits, until: Until): RowKey[] {
  const sql = `
    SELECT ${keyColumns(limits)} FROM ${table} WHERE ${limits.age?.when} LIMIT ${FOUND_MAX}`;
  return statement<RowKey>(db, sql).all({ ...until });
}

interface Owner {
  owner: unknown;
  excess: number;
}

/** Owners with more rows than the table's limit, and how many more. */
export function selectExcess(db: Database, table: string, { most }: Limits): Owner[] {
  const sql = `SELECT ${most?.by?.owner} AS owner, count(*) - @rows AS excess FROM ${table}
    GROUP BY 1 HAVING count(*) > @rows`;
  return statement<Owner>(db, sql).all({ rows: most?.rows });
}

/** An owner's first rows in the order of removal. */
export function selectFirst(
  db: Database,
  table: string,
  limits: Limits,
  { owner, excess }: Owner,
): RowKey[] {
  const { by } = limits.most ?? {};
  const sql = `SELECT ${keyColumns(limits)} FROM ${table} WHERE ${by?.owner} IS @owner
    ORDER BY ${by?.order} LIMIT @limit`;
  return statement<RowKey>(db, sql).all({ owner, limit: Math.min(excess, FOUND_MAX) });
}

/**
 * Removes a row.
 * @param until null if it is removed whatever its age; otherwise one that is no longer too old stays
 */
export function deleteRow(
  tx: Transaction,
  table: string,
  limits: Limits,
  key: RowKey,
  until: Until | null,
): void {
  const isRow = columnsOf(limits).map((column, at) => `${column} = @k${at}`);
  const conditions = until === null ? isRow : [...isRow, `(${limits.age?.when})`];
  statement(tx, `DELETE FROM ${table} WHERE ${conditions.join(" AND ")}`).run({ ...key, ...until });
}

function keyColumns(limits: Limits): string {
  return columnsOf(limits)
    .map((column, at) => `${column} AS k${at}`)
    .join(", ");
}

function columnsOf({ key = ["rowid"] }: Limits): readonly string[] {
  return key;
}

/**
 * Removes what the tables' rules no longer keep. Rows are looked for without the write lock, and removed in
 * transactions of a few milliseconds.
 */
export async function retain(db: Database, clock: Clock): Promise<void> {
  for (const [table, rule] of Object.entries(RETENTION)) {
    if (typeof rule === "string") continue;
    if (rule.age !== undefined) await removeAged(db, clock, table, rule, rule.age);
    if (rule.most?.by) await removeExcess(db, clock, table, rule);
  }
}

async function removeAged(
  db: Database,
  clock: Clock,
  table: string,
  limits: Limits,
  { days, note }: NonNullable<Limits["age"]>,
): Promise<void> {
  const until = untilOf(clock.now() - days * DAY_MS);
  for (;;) {
    const rows = selectAged(db, table, limits, until);
    if (rows.length === 0) return;
    await removeRows(db, clock, rows, (tx, key) => {
      note?.(tx, until.until);
      deleteRow(tx, table, limits, key, until);
    });
  }
}

async function removeExcess(
  db: Database,
  clock: Clock,
  table: string,
  limits: Limits,
): Promise<void> {
  for (const { owner, excess } of selectExcess(db, table, limits)) {
    for (let left = excess; left > 0; ) {
      const rows = selectFirst(db, table, limits, { owner, excess: left });
      if (rows.length === 0) break;
      left -= rows.length;
      await removeRows(db, clock, rows, (tx, key) => deleteRow(tx, table, limits, key, null));
    }
  }
}

async function removeRows(
  db: Database,
  clock: Clock,
  rows: readonly RowKey[],
  remove: (tx: Transaction, key: RowKey) => void,
): Promise<void> {
  const left = rows.values();
  await inParts(db, clock, "retention", (tx) => {
    const { value } = left.next();
    if (value !== undefined) remove(tx, value);
    return value !== undefined;
  });
}

function untilOf(until: number): Until {
  return { until, untilText: new Date(until).toISOString(), untilDay: dayOf(until) };
}
