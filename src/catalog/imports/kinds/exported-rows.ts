import type { Database } from "../../../db/database.ts";
import { type Day, dayOf } from "../../../values/moscow-time.ts";
import type { StoredFields } from "../../fields/stored-field.ts";
import type { SeenRemovals } from "./removed-months.store.ts";

/** Key of a row, after which the next page starts; null to start at the beginning. */
export type Position = readonly number[] | null;

export interface ExportRow {
  position: Position;
  /** Values by column; null for a row that was not selected. */
  values: Record<string, unknown> | null;
}

export interface RowSelection {
  /** Inclusive; null for no bound. */
  from: Day | null;
  /** Inclusive; null for no bound. */
  to: Day | null;
  channelId: number | null;
  /** First of the Moscow days whose derived values still follow the posts, and are not exported. */
  openFrom: Day;
  /** Removals of months that were seen when the export began. */
  removals: SeenRemovals;
}

/**
 * Reads up to `limit` rows after a position, each when the consumer takes it, including those that were not
 * selected. Fewer mean that there are no more.
 */
export type ReadRows<Selection> = (
  db: Database,
  selection: Selection,
  after: Position,
  limit: number,
) => Generator<ExportRow>;

export interface ExportedRows<Column> {
  columns: readonly Column[];
  /** Their declarations, if any of them may be null. */
  fields?: StoredFields;
  /** Selections that it supports. */
  selectedBy: readonly ("channel" | "days")[];
  rows: ReadRows<RowSelection>;
}

/** Days before and after all rows. */
const FIRST_DAY = dayOf(Date.parse("0000-01-01T00:00:00Z"));
export const LAST_DAY = dayOf(Date.parse("9999-12-31T00:00:00Z"));

/** The first and the last day that are exported. */
export function bounds({ from, to, removals }: Pick<RowSelection, "from" | "to" | "removals">): {
  from: Day;
  to: Day;
} {
  const first = Math.max(from ?? FIRST_DAY, removals.leftOutBefore ?? FIRST_DAY);
  return { from: first, to: to ?? LAST_DAY };
}

/** Precedes the id in a position among removed channels and posts, which come after all others. */
const REMOVED = Number.MAX_SAFE_INTEGER;

export const positionAmongRemoved = (id: number): Position => [REMOVED, id];

/** Id to continue after among the removed ones; null while the others are being read. */
export function idAmongRemoved(after: Position): number | null {
  return after?.[0] === REMOVED ? (after[1] ?? 0) : null;
}
