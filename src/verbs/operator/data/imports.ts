import type { ExportFormat } from "../../../catalog/exports/export-selection.ts";
import { EXPORT_FORMATS, EXPORT_TYPES } from "../../../catalog/exports/export-selection.ts";
import type { ImportKindName } from "../../../catalog/imports/kinds/import-kinds.ts";
import { IMPORT_KIND_NAMES, importKinds } from "../../../catalog/imports/kinds/import-kinds.ts";
import type { RecordedRun } from "../../../catalog/imports/runs/import-runs.ts";
import type { NewUpload } from "../../../catalog/imports/runs/upload-files.ts";
import { shownFileName, UPLOAD_BYTES_MAX } from "../../../catalog/imports/runs/upload-files.ts";
import { summaryView } from "../../../catalog/imports/writing/import-summary.ts";
import { AppError, fieldError } from "../../../errors.ts";
import { readText } from "../../../values/fields.ts";
import { inEnglish, message } from "../../../values/messages/messages.ts";
import * as shape from "../../../values/schema.ts";
import { takesBytes } from "../../../values/takes.ts";
import { FileAnswer } from "../../method.ts";
import type { Arguments, Parameter } from "../../parameters.ts";
import { choice, flag, integer, parameter, required, text, withDefault } from "../../parameters.ts";
import { list, numberBefore, resource, show, verb } from "../resource.ts";
import { readingOf, readingOptions } from "./reading-options.ts";

const WAIT_MAX_S = 60;

const groupSchema = shape.object({
  column: shape.nullable(shape.text("Null if it is the whole row, or the file")),
  reason: shape.text(),
  count: shape.count("Rows or cells"),
  line: shape.nullable(shape.integer("Line of one of them")),
  value: shape.nullable(shape.text("Its cell, shortened")),
});

const runRows = shape.rows("Import", {
  id: shape.integer("Number of the import"),
  kind: shape.choice(IMPORT_KIND_NAMES, {}),
  file: shape.field(shape.text("Name of the file"), (run: RecordedRun) => run.fileName),
  bytes: shape.count("Its size"),
  bytes_read: shape.count("How much of it has been read"),
  state: shape.field(
    shape.choice(
      ["waiting", "running", "done", "failed"],
      "Files are imported one after another; a failed import may have written rows",
    ),
    ({ isWaiting, state }: RecordedRun) => (isWaiting ? "waiting" : state),
  ),
  failure: shape.field(
    shape.nullable(shape.text("Why it failed")),
    ({ failure }: RecordedRun) => failure && inEnglish(failure),
  ),
  started_by: shape.property("person", shape.text("The person, or the key")),
  started_at: shape.instant("When it was sent"),
  finished_at: shape.optionalInstant("When it ended; null: it has not"),
  dry_run: shape.flag(),
  read: shape.count("Rows read"),
  inserted: shape.count("Rows inserted"),
  updated: shape.count("Rows updated"),
  unchanged: shape.count("Rows unchanged"),
  kept_out: shape.count("Rows of channels that were deleted or merged, which changed nothing"),
  rejected: shape.count("Rows rejected"),
  removed: shape.nullable(shape.count("Entries removed by `replace`")),
  seconds: shape.number("How long it took"),
  recognized: shape.anyObject("How the file was read"),
  rejects: shape.list(groupSchema, "Rejected rows by column and reason"),
  warnings: shape.list(groupSchema, "Dropped cells by column and reason"),
  notes: shape.list(shape.text()),
});

function rowOf(run: RecordedRun) {
  const {
    options,
    notes,
    removed = null,
    kept_out: keptOut,
    ...summary
  } = summaryView(run.summary);
  const { dryRun } = options;
  const shown = { removed, keptOut, dryRun, notes: notes.map(inEnglish) };
  return runRows.row({ ...run, ...summary, ...shown });
}

const options = {
  kind: required(choice(IMPORT_KIND_NAMES as [ImportKindName], "What the rows are.")),
  name: withDefault(
    text("The file's name, whose ending may say its format.", { example: "posts.csv" }),
    "upload",
  ),
  ...readingOptions,
  replace: withDefault(
    flag("Categories, territories: remove those that the file does not contain."),
    false,
  ),
  dry_run: withDefault(flag("Only report what would happen, on a copy of the database."), false),
  wait: withDefault(
    integer("Answer once it has ended, but after at most this many seconds.", {
      example: 60,
      minimum: 0,
      maximum: WAIT_MAX_S,
    }),
    0,
  ),
};

export type UploadOptions = Arguments<typeof options>;

/** A file as it is to be imported. @throws AppError `invalid` on `replace` */
export function uploadOf(given: UploadOptions, file: NewUpload["file"]): NewUpload {
  const { kind, timezone, strict, replace, dry_run: dryRun } = given;
  if (replace && !importKinds[kind].isDirectory) {
    throw fieldError({ replace: [message("onlyDirectoriesReplaced")] });
  }
  return { kind, file, options: { reading: readingOf(given), timezone, strict, replace, dryRun } };
}

/** Imports of whole files, as staff's page of uploads runs them. */
export const imports = resource({
  name: "import",
  command: "import-run",
  area: "data",
  title: "imports of uploaded files",
  schema: runRows.schema,
  verbs: [
    verb<typeof options>({
      name: "start",
      on: "none",
      title:
        "import a file, which is the request's body: CSV, NDJSON or JSON, also as gzip or zstd",
      args: options,
      takes: takesBytes(UPLOAD_BYTES_MAX),
      isForPrograms: true,
      async run(given, { services, file, by }) {
        if (file === null || file.bytes === 0) {
          throw new AppError("parse_error", message("bodyNoFile"));
        }
        const named = { ...file, name: shownFileName(given.name) };
        const id = await services.imports.start({ ...uploadOf(given, named), by });
        await services.imports.ended(id, given.wait * 1000);
        return rowOf(await services.imports.run(id));
      },
    }),
    list({
      title: "list the imports of uploaded files, newest first",
      run: async (_args, { services, part }) =>
        (await services.imports.runs(part.limit, numberBefore(part))).map(rowOf),
    }),
    show({
      title: "show an import with its progress, or its summary",
      run: async (_args, { services, id }) => rowOf(await services.imports.run(id)),
    }),
    verb({
      name: "rejects",
      isRead: true,
      title: "download the rejected rows of one of the ten latest imports",
      fileTypes: ["application/x-ndjson"],
      isForPrograms: true,
      result: shape.text("Line, column, reason and fields of each"),
      async run(_args, { services, id }) {
        const { path } = await services.imports.rejects(id);
        const name = `rejected-rows-${id}.ndjson`;
        const headers = { "content-disposition": `attachment; filename="${name}"` };
        const parts = Bun.file(path).stream().values() as AsyncGenerator<Uint8Array, void>;
        return new FileAnswer("application/x-ndjson", headers, { parts, close() {} });
      },
    }),
  ],
});

const fileSchema = shape.text("Rows that the import accepts");

const selection = {
  kind: required(choice(IMPORT_KIND_NAMES as [ImportKindName], "What the rows are.")),
  format: withDefault(choice(EXPORT_FORMATS as [ExportFormat], "Format of the file."), "csv"),
  from: dayText("Posts, stats: the first Moscow day."),
  to: dayText("Posts, stats: the last Moscow day, included."),
  channel: text("One channel only: its number, @handle or link.", { example: "1" }),
  raw: withDefault(
    flag("CSV, Excel: do not escape texts that a spreadsheet would run as formulas."),
    false,
  ),
};

/** A day that the selection checks. */
function dayText(description: string): Parameter<string> {
  return parameter(shape.day(description), readText);
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
