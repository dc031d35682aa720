import {
  IMPORT_KIND_NAMES,
  type ImportKindName,
  importKinds,
} from "../../catalog/imports/kinds/import-kinds.ts";
import { FOREIGN_FORMATS } from "../../catalog/imports/reading/foreign/foreign-formats.ts";
import { FILE_FORMATS } from "../../catalog/imports/reading/recognized.ts";
import type { RecordedRun } from "../../catalog/imports/runs/import-runs.ts";
import { shownFileName, UPLOAD_BYTES_MAX } from "../../catalog/imports/runs/upload-files.ts";
import { summaryView } from "../../catalog/imports/writing/import-summary.ts";
import { AppError, fieldError } from "../../errors.ts";
import { parseNumber } from "../../values/fields.ts";
import { isObject, parseJson } from "../../values/json-text.ts";
import { inEnglish, message } from "../../values/messages/messages.ts";
import { MOSCOW_ZONE, zoneNamed } from "../../values/moscow-time.ts";
import { field } from "../../values/rows.ts";
import {
  anyObjectSchema,
  choiceSchema,
  countSchema,
  integerSchema,
  listSchema,
  nullable,
  numberSchema,
  objectSchema,
  textSchema,
} from "../../values/schema.ts";
import { takesBytes } from "../../values/takes.ts";
import { FileAnswer } from "../method.ts";
import {
  choice,
  flag,
  integer,
  type Parameter,
  required,
  text,
  withDefault,
} from "../parameters.ts";
import { instant, numberId, type Resource, rowsOf, verb } from "./resource.ts";

const WAIT_MAX_S = 60;

const groupSchema = objectSchema({
  column: nullable(textSchema({ description: "Null if it is the whole row, or the file" })),
  reason: textSchema(),
  count: countSchema("Rows or cells"),
  line: nullable(integerSchema({ description: "Line of one of them" })),
  value: nullable(textSchema({ description: "Its cell, shortened" })),
});

type Run = RecordedRun & ReturnType<typeof summaryView>;

const count = (name: "read" | "inserted" | "updated" | "unchanged" | "rejected") =>
  field<Run>(countSchema(`Rows ${name}`), (run) => run[name]);

const runRows = rowsOf<Run>("Import", {
  id: field(integerSchema({ description: "Number of the import" }), ({ id }) => id),
  kind: field(choiceSchema(IMPORT_KIND_NAMES, {}), ({ kind }) => kind),
  file: field(textSchema({ description: "Name of the file" }), ({ fileName }) => fileName),
  bytes: field(countSchema("Its size"), ({ bytes }) => bytes),
  bytes_read: field(countSchema("How much of it has been read"), ({ bytesRead }) => bytesRead),
  state: field(
    choiceSchema(["waiting", "running", "done", "failed"], {
      description: "Files are imported one after another; a failed import may have written rows",
    }),
    ({ isWaiting, state }) => (isWaiting ? "waiting" : state),
  ),
  failure: field(
    nullable(textSchema({ description: "Why it failed" })),
    ({ failure }) => failure && inEnglish(failure),
  ),
  started_by: field(textSchema({ description: "The person, or the key" }), ({ person }) => person),
  started_at: instant("When it was sent", ({ startedAt }) => startedAt),
  finished_at: instant("When it ended; null: it has not", ({ finishedAt }) => finishedAt),
  dry_run: field({ type: "boolean" } as never, ({ options }) => options.dryRun),
  read: count("read"),
  inserted: count("inserted"),
  updated: count("updated"),
  unchanged: count("unchanged"),
  rejected: count("rejected"),
  removed: field(
    nullable(countSchema("Entries removed by `replace`")),
    ({ removed = null }) => removed,
  ),
  seconds: field(numberSchema({ description: "How long it took" }), ({ seconds }) => seconds),
  recognized: field(anyObjectSchema("How the file was read"), ({ recognized }) => recognized),
  rejects: field(
    listSchema(groupSchema, { description: "Rejected rows by column and reason" }),
    ({ rejects }) => rejects,
  ),
  warnings: field(
    listSchema(groupSchema, { description: "Dropped cells by column and reason" }),
    ({ warnings }) => warnings,
  ),
  notes: field(listSchema(textSchema()), ({ notes }) => notes.map(inEnglish)),
});

const rowOf = (run: RecordedRun) => runRows.row({ ...run, ...summaryView(run.summary) } as Run);

const options = {
  kind: required(choice(IMPORT_KIND_NAMES as [ImportKindName], "What the rows are.")),
  name: withDefault(
    text({
      description: "The file's name, whose ending may say its format.",
      example: "posts.csv",
    }),
    "upload",
  ),
  format: choice(FILE_FORMATS as ["csv"], "Format, if neither name nor contents say it."),
  from: choice(FOREIGN_FORMATS as ["telethon"], "The program that exported the file."),
  map: columnMap(),
  ignore_unknown: withDefault(flag({ description: "Ignore columns that are not known." }), false),
  timezone: timezone(),
  strict: withDefault(
    flag({ description: "Reject a row with a bad cell instead of dropping the cell." }),
    false,
  ),
  replace: withDefault(
    flag({ description: "Categories, territories: remove those that the file does not contain." }),
    false,
  ),
  dry_run: withDefault(
    flag({ description: "Only report what would happen, on a copy of the database." }),
    false,
  ),
  wait: withDefault(
    integer({
      description: "Answer once it has ended, but after at most this many seconds.",
      example: 60,
      minimum: 0,
      maximum: WAIT_MAX_S,
    }),
    0,
  ),
};

/** Imports of whole files, as staff's page of uploads runs them. */
export const imports: Resource = {
  name: "import",
  command: "import-run",
  path: "imports",
  area: "data",
  title: "imports of uploaded files",
  schema: runRows.schema,
  id: numberId,
  hint: "its number",
  find: async (given) => parseNumber(given),
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
        if (given.replace && !importKinds[given.kind].isDirectory) {
          throw fieldError({ replace: [message("onlyDirectoriesReplaced")] });
        }
        const { kind, timezone, strict, replace, dry_run: dryRun } = given;
        const reading = {
          format: given.format ?? null,
          from: given.from ?? null,
          map: given.map ?? {},
          ignoreUnknown: given.ignore_unknown,
        };
        const id = await services.imports.start({
          kind,
          file: { ...file, name: shownFileName(given.name) },
          options: { reading, timezone, strict, replace, dryRun },
          by,
        });
        await services.imports.ended(id, given.wait * 1000);
        return rowOf(await services.imports.run(id));
      },
    }),
    verb({
      name: "list",
      on: "none",
      isRead: true,
      rows: "id",
      args: {},
      title: "list the imports of uploaded files, newest first",
      run: async (_args, { services, part: { after, limit } }) =>
        (await services.imports.runs(limit, after)).map(rowOf),
    }),
    verb({
      name: "show",
      on: "one",
      isRead: true,
      args: {},
      title: "show an import with its progress, or its summary",
      run: async (_args, { services, id }) => rowOf(await services.imports.run(id)),
    }),
    verb({
      name: "rejects",
      on: "one",
      isRead: true,
      args: {},
      title: "download the rejected rows of one of the ten latest imports",
      fileTypes: ["application/x-ndjson"],
      isForPrograms: true,
      result: textSchema({ description: "Line, column, reason and fields of each" }),
      async run(_args, { services, id }) {
        const { path } = await services.imports.rejects(id);
        const name = `rejected-rows-${id}.ndjson`;
        const headers = { "content-disposition": `attachment; filename="${name}"` };
        const parts = Bun.file(path).stream().values() as AsyncGenerator<Uint8Array, void>;
        return new FileAnswer("application/x-ndjson", headers, { parts, close() {} });
      },
    }),
  ],
};

function columnMap(): Parameter<Record<string, string>> {
  const names = text({
    description: "A JSON object with our names of the file's columns.",
    example: '{"Подписчики": "subscribers"}',
  });
  return {
    ...(names as Parameter<never>),
    read(given) {
      const map = typeof given === "string" ? parseJson(Buffer.from(given)) : undefined;
      const isMap = isObject(map) && Object.values(map).every((ours) => typeof ours === "string");
      return isMap
        ? { value: map as Record<string, string> }
        : { fault: message("notColumnNames") };
    },
  };
}

function timezone(): Parameter<string> & { default: string } {
  const name = text({
    description: "IANA name of the time zone of times without an offset.",
    example: "Asia/Omsk",
  });
  return withDefault(
    {
      ...name,
      read(given) {
        const read = name.read(given);
        if ("fault" in read) return read;
        const zone = zoneNamed(read.value);
        return zone === null ? { fault: message("notTimeZone") } : { value: zone };
      },
    },
    MOSCOW_ZONE,
  );
}
