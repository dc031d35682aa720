import {
  EXPORT_FORMATS,
  EXPORT_TYPES,
  type ExportFormat,
} from "../../catalog/exports/export-selection.ts";
import {
  IMPORT_KIND_NAMES,
  type ImportKindName,
} from "../../catalog/imports/kinds/import-kinds.ts";
import { readText } from "../../values/fields.ts";
import { daySchema, textSchema } from "../../values/schema.ts";
import { FileAnswer } from "../method.ts";
import {
  choice,
  flag,
  type Parameter,
  parameter,
  required,
  text,
  withDefault,
} from "../parameters.ts";
import { resource, verb } from "./resource.ts";

const fileSchema = textSchema({ description: "Rows that the import accepts" });

const selection = {
  kind: required(choice(IMPORT_KIND_NAMES as [ImportKindName], "What the rows are.")),
  format: withDefault(choice(EXPORT_FORMATS as [ExportFormat], "Format of the file."), "csv"),
  from: dayText("Posts, stats: the first Moscow day."),
  to: dayText("Posts, stats: the last Moscow day, included."),
  channel: text({ description: "One channel only: its number, @handle or link.", example: "1" }),
  raw: withDefault(
    flag({
      description: "CSV, Excel: do not escape texts that a spreadsheet would run as formulas.",
    }),
    false,
  ),
};

/** A day that the selection checks. */
function dayText(description: string): Parameter<string> {
  return parameter(daySchema(description), readText);
}

/** Exports of rows, one at a time, as staff's page of the database makes them. */
export const exports = resource({
  name: "export",
  area: "data",
  title: "files that another appliance can import",
  schema: fileSchema,
  verbs: [
    verb<typeof selection>({
      name: "download",
      on: "none",
      isRead: true,
      args: selection,
      title: "download rows, of hidden channels too; compressed if the client accepts gzip",
      fileTypes: Object.values(EXPORT_TYPES),
      isForPrograms: true,
      async run({ kind, format, raw: isRaw, ...given }, { services, by }) {
        const { from = "", to = "", channel = "" } = given;
        const file = await services.openExport({ kind, format, isRaw, from, to, channel }, by);
        const name = `${kind}.${format}`;
        const headers = { "content-disposition": `attachment; filename="${name}"` };
        return new FileAnswer(EXPORT_TYPES[format], headers, file);
      },
    }),
  ],
});
