/** @jsxImportSource hono/jsx */
import {
  readSchedule,
  type SourceState as State,
} from "../../../../catalog/sources/source-schedule.ts";
import type { Source } from "../../../../catalog/sources/sources.table.ts";
import { shownInterval } from "../../look/formats.ts";
import { told } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";

/** A source's state, coloured by its meaning. */
export function SourceState({ state }: { state: State }) {
  const visit = useVisit();
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
export function ScheduleText({ schedule }: { schedule: string }) {
  const read = readSchedule(schedule);
  if ("fault" in read || "pattern" in read.value) return <code>{schedule}</code>;
  const { locale, sourcePages } = useVisit().words;
  return <>{sourcePages.every(shownInterval(locale, read.value.everyMs))}</>;
}

/** Why a source could not be read; empty if it could. */
export function failureOf({ failure, failedFile }: Source): string {
  if (failure === null) return "";
  return `${failedFile === null ? "" : `${failedFile}: `}${told(failure)}`;
}
