import { markDone } from "../../../customers/idempotency/idempotent-requests.ts";
import type { RequestClaim } from "../../../customers/idempotency/operator-requests.store.ts";
import type { Database } from "../../../db/database.ts";
import { inSlice } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import type { ImportKind } from "../kinds/import-kind.ts";
import { type ImportKindName, importKinds } from "../kinds/import-kinds.ts";
import { createColumnNames } from "../reading/column-names.ts";
import { createJsonRows } from "../reading/json-rows.ts";
import { nothingRecognized } from "../reading/recognized.ts";
import { AS_RECOGNIZED } from "../reading/rows.ts";
import { countImport } from "./import-summary.ts";
import { readAll, type WrittenRow, writtenRow } from "./write-rows.ts";

/** Rows that one request brings. Plain data, because it is sent to a thread. */
export interface PushedRows {
  kind: ImportKindName;
  rows: readonly unknown[];
  messengerHosts: readonly string[];
  openDays: number;
  /** The request that brings them, if it may be repeated. */
  request: RequestClaim | undefined;
}

/**
 * Writes the good rows in one transaction. Sending the same rows again changes nothing more.
 * @returns what became of each row, in the order in which they came
 * @throws AppError `invalid` for rows that obviously belong to another kind
 */
export async function pushRows(
  db: Database,
  clock: Clock,
  { kind: name, rows, messengerHosts, openDays, request }: PushedRows,
): Promise<WrittenRow[]> {
  const kind: ImportKind<{ id?: number }> = importKinds[name];
  const rules = { timezone: MOSCOW_ZONE, strict: false, messengerHosts };
  const names = createColumnNames(name, AS_RECOGNIZED, nothingRecognized(MOSCOW_ZONE));
  const { toRow } = createJsonRows(names);
  const read = readAll(kind, names.completed(rows.flatMap((row, at) => toRow(at, row))), rules);
  const highestNumber = Math.max(0, ...read.map((row) => ("given" in row && row.given.id) || 0));
  const context = { clock, folder: null, messengerHosts, openDays, highestNumber, note: () => {} };
  const writer = kind.open(db, context);
  writer.ahead?.(read);
  const written = await inSlice(db, clock, "push-rows", async (tx) => {
    if (request !== undefined) await markDone(tx, request);
    const outcomes = read.map((row) => writtenRow(kind, writer, row, rules));
    writer.beforeCommit?.();
    const isChanged = outcomes.some(({ outcome }) => /inserted|updated/.test(outcome));
    if (kind.isMeasured && isChanged) countImport(tx);
    return outcomes;
  });
  await writer.afterCommit?.();
  await writer.afterwards?.();
  return written;
}
