import type { Database } from "../../db/database.ts";
import { cardSchema } from "../channels/card.ts";
import type { Position } from "../imports/kinds/exported-rows.ts";
import { postSchema } from "../posts/post.ts";
import { dailyStatisticsSchema } from "../statistics/statistics-day.ts";
import { bulkKinds } from "./bulk-kinds.ts";
import type { BulkKind, BulkSelection } from "./bulk-selection.ts";
import { csvLine } from "./csv-line.ts";
import { type ExportPart, lineWriter, PART_ROWS, writePart } from "./export-part.ts";

/** Which part of a customer's export to read. */
export interface BulkTurn {
  selection: BulkSelection;
  /** Where the previous part ended; null for the first. */
  after: Position;
  /** Whether it starts with the header line. */
  hasHeader: boolean;
  rowsMax: number;
}

const SCHEMAS: Record<BulkKind, { properties: object }> = {
  channels: cardSchema,
  stats: dailyStatisticsSchema,
  posts: postSchema,
};

/** Reads the next part of a customer's export: a few milliseconds of a thread, which then serves others. */
export function bulkPart(db: Database, turn: BulkTurn): ExportPart {
  const { selection, after, hasHeader, rowsMax } = turn;
  const { columns, rows } = bulkKinds[selection.rows];
  const schemas = SCHEMAS[selection.rows].properties as Record<string, object>;
  // A nullable field is declared as one of two schemas.
  const isNullable = (name: string) => "anyOf" in (schemas[name] ?? {});
  const { format } = selection;
  return writePart(rows(db, selection, after, PART_ROWS), {
    ...{ after, rowsMax },
    toLine: lineWriter({ format, isRaw: false }, columns, isNullable),
    header: hasHeader && format === "csv" ? csvLine(columns) : "",
  });
}
