import type { Database } from "../../db/database.ts";
import { cardSchema } from "../channels/card.ts";
import type { Position } from "../imports/exported-rows.ts";
import { postSchema } from "../posts/post.ts";
import { dailyStatisticsSchema } from "../statistics/statistics-day.ts";
import { bulkKinds } from "./bulk-kinds.ts";
import type { BulkKind, BulkSelection } from "./bulk-selection.ts";
import { csvLine } from "./csv-line.ts";
import { type ExportPart, lineWriter, PART_ROWS, writePart } from "./export-part.ts";

/** The part of a customer's export that is asked for. */
export interface BulkTurn {
  selection: BulkSelection;
  /** Where the part before ended; null for the first. */
  after: Position;
  /** Whether it begins with the line of columns. */
  hasHeader: boolean;
  rowsMax: number;
}

const SCHEMAS: Record<BulkKind, { properties: object }> = {
  channels: cardSchema,
  stats: dailyStatisticsSchema,
  posts: postSchema,
};

/** The next part of a customer's export: few milliseconds of a thread, which then reads for others. */
export function bulkPart(db: Database, turn: BulkTurn): ExportPart {
  const { selection, after, hasHeader, rowsMax } = turn;
  const { columns, rows } = bulkKinds[selection.rows];
  const schemas = SCHEMAS[selection.rows].properties as Record<string, object>;
  // A field that may be null is declared as one of two shapes.
  const isNullable = (name: string) => "anyOf" in (schemas[name] ?? {});
  const { format } = selection;
  return writePart(rows(db, selection, after, PART_ROWS), {
    ...{ after, rowsMax },
    toLine: lineWriter({ format, isRaw: false }, columns, isNullable),
    header: hasHeader && format === "csv" ? csvLine(columns) : "",
  });
}
