/** @jsxImportSource hono/jsx */
import {
  readSchedule,
  type SourceState as State,
} from "../../../../catalog/sources/source-schedule.ts";
import { shownInterval } from "../../look/formats.ts";
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
