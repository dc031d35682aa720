import type { Database } from "../../db/database.ts";
import { type Day, dayOf } from "../../values/moscow-time.ts";
import type { StoredFields } from "../fields/stored-field.ts";

/** The key of a row, by which the next page is entered; null: before the first. */
export type Position = readonly number[] | null;

export interface ExportRow {
  position: Position;
  /** Values by column; null for a row that is not asked for. */
  values: Record<string, unknown> | null;
}

/** The rows that are asked for. */
export interface RowSelection {
  /** First Moscow day included; null: no bound. */
  from: Day | null;
  /** Last Moscow day included; null: no bound. */
  to: Day | null;
  /** Service number of the one channel; null: all. */
  channelId: number | null;
  /** First of the Moscow days whose derived values follow the posts, and are not written. */
  openFrom: Day;
}

/** Reads rows after a position, fewer than the limit only at the end, while they are taken. */
export type ReadRows<Selection> = (
  db: Database,
  selection: Selection,
  after: Position,
  limit: number,
) => Generator<ExportRow>;

/** How the rows of an import kind are written out again. */
export interface ExportedRows<Column> {
  /** Names of the columns, in their order. */
  columns: readonly Column[];
  /** How they are declared, where any may be null. */
  fields?: StoredFields;
  /** Selections that its rows can be cut down to. */
  selectedBy: readonly ("channel" | "days")[];
  rows: ReadRows<RowSelection>;
}

/** Days that no row is before, and after. */
const FIRST_DAY = dayOf(Date.parse("0000-01-01T00:00:00Z"));
export const LAST_DAY = dayOf(Date.parse("9999-12-31T00:00:00Z"));

export function bounds({ from, to }: Pick<RowSelection, "from" | "to">): { from: Day; to: Day } {
  return { from: from ?? FIRST_DAY, to: to ?? LAST_DAY };
}

/** Before the id in a position: behind all others come the channels and posts that were removed. */
const REMOVED = Number.MAX_SAFE_INTEGER;

export const positionAmongRemoved = (id: number): Position => [REMOVED, id];

/** The id behind which the removed ones are read; null while the others are. */
export function placeAmongRemoved(after: Position): number | null {
  return after?.[0] === REMOVED ? (after[1] ?? 0) : null;
}
