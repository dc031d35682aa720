import {
  EXPORT_FORMATS,
  EXPORT_TYPES,
  type ExportFormat,
} from "../../catalog/exports/export-selection.ts";
import {
  IMPORT_KIND_NAMES,
  type ImportKindName,
} from "../../catalog/imports/kinds/import-kinds.ts";
import { textSchema } from "../../values/schema.ts";
import { FileAnswer } from "../method.ts";
import { choice, flag, required, text, withDefault } from "../parameters.ts";
import { numberId, type Resource, verb } from "./resource.ts";

const fileSchema = textSchema({ description: "Rows that the import accepts" });

const selection = {
  kind: required(choice(IMPORT_KIND_NAMES as [ImportKindName], "What the rows are.")),
  format: withDefault(choice(EXPORT_FORMATS as [ExportFormat], "Format of the file."), "csv"),
  from: text({ description: "Posts, stats: the first Moscow day.", example: "2026-11-01" }),
  to: text({ description: "Posts, stats: the last Moscow day, included.", example: "2026-11-30" }),
  channel: text({ description: "One channel only: its number, @handle or link.", example: "1" }),
  raw: withDefault(
    flag({
      description: "CSV, Excel: do not escape texts that a spreadsheet would run as formulas.",
    }),
    false,
  ),
};

/** Exports of rows, one at a time, as staff's page of the database makes them. */
export const exports: Resource = {
  name: "export",
  command: "export",
  path: "exports",
  area: "data",
  title: "files that another appliance can import",
  schema: fileSchema,
  id: numberId,
  hint: "its number",
  find: async () => null,
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
};
