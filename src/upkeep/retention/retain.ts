import type { Database, Transaction } from "../../db/database.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS, dayOf } from "../../values/moscow-time.ts";
import {
  deleteRow,
  type RowKey,
  selectAged,
  selectExcess,
  selectFirst,
  type Until,
} from "./retain.store.ts";
import { type Limits, RETENTION } from "./retention-rules.ts";

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
