/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import {
  readSchedule,
  type SourceState as State,
} from "../../../../catalog/sources/source-schedule.ts";
import type { Source } from "../../../../catalog/sources/sources.table.ts";
import { inLanguage } from "../../../../values/messages/messages.ts";
import { shownInterval } from "../../look/formats.ts";
import type { Visit } from "../../visit/visit.ts";

/** A source's state, coloured by its meaning. */
export function SourceState({ visit, state }: { visit: Visit; state: State }): JSX.Element {
  return <span class={`badge ${COLOURS[state]}`}>{visit.words.sourcePages.states[state]}</span>;
}

const COLOURS: Readonly<Record<State, string>> = {
  ok: "good",
  new: "",
  running: "",
  failing: "bad",
  paused: "",
  silent: "warn",
};

/** A schedule: an interval in words, a cron pattern as it is. */
export function ScheduleText({ visit, schedule }: { visit: Visit; schedule: string }): JSX.Element {
  const read = readSchedule(schedule);
  if ("fault" in read || "pattern" in read.value) return <code>{schedule}</code>;
  const { locale, sourcePages } = visit.words;
  return <>{sourcePages.every(shownInterval(locale, read.value.everyMs))}</>;
}

/** Why a source could not be read; empty if it could. */
export function failureOf({ language }: Visit, { failure, failedFile }: Source): string {
  if (failure === null) return "";
  return `${failedFile === null ? "" : `${failedFile}: `}${inLanguage(language, failure)}`;
}
