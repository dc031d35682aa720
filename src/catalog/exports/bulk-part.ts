import type { Database } from "../../db/database.ts";
import type { Position } from "../imports/kinds/exported-rows.ts";
import { bulkKinds } from "./bulk-kinds.ts";
import type { BulkSelection } from "./bulk-selection.ts";
import { csvLine } from "./csv-line.ts";
import { type ExportPart, lineWriter, PART_ROWS, writePart } from "./export-part.ts";

export interface BulkTurn {
  selection: BulkSelection;
  /** Where the previous part ended; null for the first. */
  after: Position;
  hasHeader: boolean;
  rowsMax: number;
}

/** Reads the next part of a customer's export: a few milliseconds of a thread, which then serves others. */
export function bulkPart(db: Database, turn: BulkTurn): ExportPart {
  const { selection, after, hasHeader, rowsMax } = turn;
  const { schema, rows } = bulkKinds[selection.rows];
  const columns = Object.keys(schema.properties);
  // A nullable field is declared as one of two schemas.
  const isNullable = (name: string) => "anyOf" in (schema.properties[name] ?? {});
  const { format } = selection;
  return writePart(rows(db, selection, after, PART_ROWS), {
    after,
    rowsMax,
    toLine: lineWriter({ format, isRaw: false }, columns, isNullable),
    header: hasHeader && format === "csv" ? csvLine(columns) : "",
  });
}
