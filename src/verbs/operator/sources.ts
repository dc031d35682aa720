import type { Outcome } from "../../catalog/sources/outcome.ts";
import { dueAt, SOURCE_STATES, stateOf } from "../../catalog/sources/source-schedule.ts";
import {
  fileMaxMs,
  isBot,
  placeOf,
  SOURCE_KINDS,
  type Source,
} from "../../catalog/sources/sources.table.ts";
import { inEnglish } from "../../values/messages/messages.ts";
import { field } from "../../values/rows.ts";
import {
  choiceSchema,
  countSchema,
  integerSchema,
  nullable,
  numberSchema,
  objectSchema,
  textSchema,
} from "../../values/schema.ts";
import { inPart, instant, numberId, type Resource, rowsOf, verb } from "./resource.ts";

type SourceAt = Source & { nowMs: number };

const rows = rowsOf<SourceAt>("Source", {
  id: field(integerSchema({ description: "Number of the source" }), ({ id }) => id),
  name: field(textSchema({ description: "Its name" }), ({ name }) => name),
  kind: field(choiceSchema(SOURCE_KINDS, {}), ({ kind }) => kind),
  rows: field(
    textSchema({ description: "What the rows of its files are; empty for a bot" }),
    ({ settings }) => (isBot(settings) ? "" : settings.rows),
  ),
  from: field(
    textSchema({ description: "Its address, its folder, or the bot's name" }),
    ({ settings }) => placeOf(settings),
  ),
  schedule: field(
    textSchema({ description: "An interval such as 15m, or a cron pattern in Moscow time" }),
    ({ schedule }) => schedule,
  ),
  time_limit_seconds: field(
    nullable(numberSchema({ description: "How long a file may take; null for a bot" })),
    ({ settings }) => (isBot(settings) ? null : fileMaxMs(settings) / 1000),
  ),
  state: field(choiceSchema(SOURCE_STATES, {}), (source) => stateOf(source, source.nowMs)),
  last_success_at: instant("Its last success; null: none", ({ succeededAt }) => succeededAt),
  last_run_at: instant("When its last run began; null: none", ({ startedAt }) => startedAt),
  next_run_at: instant("When it runs next; null: not by itself", (source) => {
    const next = dueAt(source, source.nowMs);
    return source.isPaused || !Number.isFinite(next) ? null : next;
  }),
  lag_seconds: field(
    nullable(numberSchema({ description: "Delay of the last arrival; null: not known" })),
    ({ position: { lagMs } }) => (lagMs === undefined ? null : lagMs / 1000),
  ),
  failures: field(countSchema("Failed runs since the last success"), ({ failures }) => failures),
  last_error: field(
    textSchema({ description: "Why its last run failed; empty if it did not" }),
    errorText,
  ),
});

/** A source as answers and commands show it. */
export const sourceRow = (source: Source, nowMs: number) => rows.row({ ...source, nowMs });

/** Why a run failed, including the file if it was one of several; empty if it did not fail. */
export function errorText({
  failure,
  failedFile,
}: Pick<Outcome, "failure" | "failedFile">): string {
  if (failure === null) return "";
  return `${failedFile === null ? "" : `${failedFile}: `}${inEnglish(failure)}`;
}

/** Places that data is fetched from automatically; commands add them. */
export const sources: Resource = {
  name: "source",
  command: "source",
  path: "sources",
  area: "system",
  title: "places that data is fetched from automatically, while the appliance serves",
  schema: rows.schema,
  id: numberId,
  hint: "its number or name",
  find: async (named, services) => (await services.sources.find(named)).id,
  verbs: [
    verb({
      name: "list",
      on: "none",
      isRead: true,
      rows: "id",
      args: {},
      title: "list all sources, with the state of their last run",
      run: async (_args, { services, part, nowMs }) =>
        inPart(await services.sources.list(), part).map((source) => sourceRow(source, nowMs)),
    }),
    verb({
      name: "show",
      on: "one",
      isRead: true,
      args: {},
      isForPrograms: true,
      title: "show a source, with the state of its last run",
      run: async (_args, { services, id, nowMs }) =>
        sourceRow(await services.sources.find(String(id)), nowMs),
    }),
    verb({
      name: "run",
      on: "one",
      args: {},
      isForPrograms: true,
      title: "have a source read within seconds, whatever its schedule",
      run: async (_args, { services, id, by, nowMs }) =>
        sourceRow(await services.sources.requestRun(id, by), nowMs),
    }),
    verb({
      name: "pause",
      on: "one",
      args: {},
      title: "stop reading a source until it is resumed",
      run: async (_args, { services, id, by, nowMs }) =>
        sourceRow(await services.sources.pauseSource(id, by), nowMs),
    }),
    verb({
      name: "resume",
      on: "one",
      args: {},
      title: "read a paused source again",
      run: async (_args, { services, id, by, nowMs }) =>
        sourceRow(await services.sources.resumeSource(id, by), nowMs),
    }),
    verb({
      name: "remove",
      on: "one",
      args: {},
      title: "remove a source; the data that it delivered stays",
      result: objectSchema({ removed: integerSchema(), name: textSchema() }),
      async run(_args, { services, id, by }) {
        const { name } = await services.sources.removeSource(id, by);
        return { removed: id, name };
      },
    }),
  ],
};
