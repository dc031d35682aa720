import type { ImportKindName } from "../../../catalog/imports/kinds/import-kinds.ts";
import { IMPORT_KIND_NAMES } from "../../../catalog/imports/kinds/import-kinds.ts";
import type { ReadingOptions } from "../../../catalog/imports/reading/rows.ts";
import type { NewSettings } from "../../../catalog/sources/source-adding.ts";
import { nameOfAddress, readHeader } from "../../../catalog/sources/source-address.ts";
import { NAME_LENGTH_MAX } from "../../../catalog/sources/source-changes.ts";
import type { Outcome } from "../../../catalog/sources/source-run-changes.ts";
import {
  nextRunAt,
  readSchedule,
  readTimeLimit,
  SOURCE_STATES,
  stateOf,
} from "../../../catalog/sources/source-schedule.ts";
import {
  BOT_KINDS,
  fileMaxMs,
  isBot,
  placeOf,
  SOURCE_KINDS,
  type Source,
} from "../../../catalog/sources/sources.table.ts";
import { inEnglish, message } from "../../../values/messages/messages.ts";
import * as shape from "../../../values/schema.ts";
import type { Arguments, Parameter } from "../../parameters.ts";
import { choice, flag, required, text, withDefault } from "../../parameters.ts";
import { readingOf, readingOptions } from "../data/reading-options.ts";
import { inPart, list, resource, show, verb } from "../resource.ts";

type SourceAt = Source & { nowMs: number };

const sourceRows = shape.rows("Source", {
  id: shape.integer("Number of the source"),
  name: shape.text("Its name"),
  kind: shape.choice(SOURCE_KINDS, {}),
  rows: shape.field(
    shape.text("What the rows of its files are; empty for a bot"),
    ({ settings }: Source) => (isBot(settings) ? "" : settings.rows),
  ),
  from: shape.field(
    shape.text("Its address, its folder, or the bot's name"),
    ({ settings }: Source) => placeOf(settings),
  ),
  schedule: shape.text("An interval such as 15m, or a cron pattern in Moscow time"),
  time_limit_seconds: shape.field(
    shape.nullable(shape.number("How long a file may take; null for a bot")),
    ({ settings }: Source) => (isBot(settings) ? null : fileMaxMs(settings) / 1000),
  ),
  state: shape.field(shape.choice(SOURCE_STATES, {}), (source: SourceAt) =>
    stateOf(source, source.nowMs),
  ),
  last_success_at: shape.instantOf(
    "Its last success; null: none",
    (one: Source) => one.succeededAt,
  ),
  last_run_at: shape.instantOf(
    "When its last run began; null: none",
    (one: Source) => one.startedAt,
  ),
  next_run_at: shape.instantOf("When it runs next; null: not by itself", (source: SourceAt) =>
    nextRunAt(source, source.nowMs),
  ),
  lag_seconds: shape.field(
    shape.nullable(shape.number("Delay of the last arrival; null: not known")),
    ({ position: { lagMs } }: Source) => (lagMs === undefined ? null : lagMs / 1000),
  ),
  failures: shape.count("Failed runs since the last success"),
  last_error: shape.field(shape.text("Why its last run failed; empty if it did not"), errorText),
});

/** A source as answers and commands show it. */
export const sourceRow = (source: Source, nowMs: number) => sourceRows.row({ ...source, nowMs });

/** Why a run failed; empty if it did not. */
export function errorText({ failure }: Pick<Outcome, "failure">): string {
  return failure === null ? "" : inEnglish(failure);
}

const every = text("15m, 6h, 1d, or a cron pattern of five fields in Moscow time.");
const schedule: Parameter<string> = {
  ...every,
  read(given) {
    const read = readSchedule(String(given).trim());
    return "fault" in read ? read : { value: String(given).trim() };
  },
};
const timeLimit: Parameter<number> = {
  ...(text("How long fetching a file may take, and importing it: such as 90m or 6h.", {
    example: "90m",
  }) as Parameter<never>),
  read: (given) => readTimeLimit(String(given)),
};
/** Arguments of every file that is fetched, besides where it is and how it is read. */
export const fileOptions = {
  kind: required(choice(IMPORT_KIND_NAMES as [ImportKindName], "What the rows are.")),
  name: withDefault(text("Its name; empty for its address or folder."), ""),
  schedule: withDefault(schedule, "15m"),
  header: header(),
  time_limit: timeLimit,
};
export const sourceUrl = text("Address of the file.", {
  example: "https://data.example.com/posts.csv",
});
const pull = { url: required(sourceUrl), ...fileOptions, ...readingOptions };
export const botOptions = {
  demo: withDefault(
    flag("A fake messenger inside the program, whose channels post every few seconds."),
    false,
  ),
  name: withDefault(text("Its name; empty for the bot's."), ""),
  schedule: withDefault(text("As of a file; empty for the messenger's own."), ""),
  api: withDefault(text("Address of the messenger's API; empty for its own."), ""),
};
const bot = {
  kind: required(choice(BOT_KINDS, "The messenger.")),
  token: withDefault(text("The bot's token; not for a demonstration."), ""),
  ...botOptions,
};

/** A source of files, as it is added. */
export function fileSource(
  given: Arguments<typeof fileOptions> & { timezone: string; strict: boolean },
  reading: ReadingOptions,
  place: { kind: "pull"; url: string } | { kind: "folder"; folder: string },
): NewSettings {
  const { kind: rows, timezone, strict, time_limit: fileMaxMs } = given;
  const usual = place.kind === "pull" ? nameOfAddress(place.url, NAME_LENGTH_MAX) : place.folder;
  return {
    name: given.name.trim() || usual,
    ...{ schedule: given.schedule, headers: given.header ?? {} },
    settings: { ...place, rows, reading, timezone, strict, fileMaxMs },
  };
}

/** Places that data is fetched from automatically; folders of the machine are only added by commands. */
export const sources = resource({
  name: "source",
  area: "system",
  title: "places that data is fetched from automatically, while the appliance serves",
  schema: sourceRows.schema,
  hint: "its number or name",
  find: async (named, services) => (await services.sources.find(named)).id,
  verbs: [
    verb({
      name: "add",
      on: "none",
      args: pull,
      isForPrograms: true,
      title: "add a file at a web address, which is read at once and then by its schedule",
      async run({ url, ...given }, { services, by, nowMs }) {
        const file = fileSource(given, readingOf(given), { kind: "pull", url: url.trim() });
        return sourceRow(await services.sources.add(file, by), nowMs);
      },
    }),
    verb({
      name: "add-bot",
      on: "none",
      args: bot,
      isForPrograms: true,
      title: "add a bot that is an administrator of channels, or a demonstration of one",
      run: async ({ demo: isDemo, ...given }, { services, by, nowMs }) =>
        sourceRow(await services.sources.addBot({ ...given, isDemo }, by), nowMs),
    }),
    list({
      title: "list all sources, with the state of their last run",
      run: async (_args, { services, part, nowMs }) =>
        inPart(await services.sources.list(), part).map((source) => sourceRow(source, nowMs)),
    }),
    show({
      isForPrograms: true,
      title: "show a source, with the state of its last run",
      run: async (_args, { services, id, nowMs }) =>
        sourceRow(await services.sources.find(String(id)), nowMs),
    }),
    verb({
      name: "run",
      isForPrograms: true,
      title: "have a source read within seconds, whatever its schedule",
      run: async (_args, { services, id, by, nowMs }) =>
        sourceRow(await services.sources.requestRun(id, by), nowMs),
    }),
    verb({
      name: "pause",
      title: "stop reading a source until it is resumed",
      run: async (_args, { services, id, by, nowMs }) =>
        sourceRow(await services.sources.pauseSource(id, by), nowMs),
    }),
    verb({
      name: "resume",
      title: "read a paused source again",
      run: async (_args, { services, id, by, nowMs }) =>
        sourceRow(await services.sources.resumeSource(id, by), nowMs),
    }),
    verb({
      name: "change",
      args: { time_limit: required(timeLimit) },
      title: "change how long a source's files may take, from its next run on",
      run: async ({ time_limit }, { services, id, by, nowMs }) =>
        sourceRow(await services.sources.setTimeLimit(id, time_limit, by), nowMs),
    }),
    verb({
      name: "pushes",
      args: { state: required(choice(["on", "off"], "Whether MAX pushes.")) },
      positional: ["state"],
      title: "have MAX push updates to KANALOG_BASE_URL (on), or poll for them (off)",
      run: async ({ state }, { services, id, by, nowMs }) =>
        sourceRow(await services.sources.setPushes(id, state === "on", by), nowMs),
    }),
    verb({
      name: "remove",
      title: "remove a source; the data that it delivered stays",
      result: shape.object({ removed: shape.integer(), name: shape.text() }),
      async run(_args, { services, id, by }) {
        const { name } = await services.sources.removeSource(id, by);
        return { removed: id, name };
      },
    }),
  ],
});

function header(): Parameter<Record<string, string>> {
  return {
    ...(text("A header to send with each request; it is stored encrypted.", {
      example: "Authorization: Bearer abc",
    }) as Parameter<never>),
    isLines: true,
    read(given) {
      const headers = String(given).trim().split("\n").map(readHeader);
      return headers.includes(null)
        ? { fault: message("notHeader") }
        : { value: Object.assign({}, ...headers) };
    },
  };
}
