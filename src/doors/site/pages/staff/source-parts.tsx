/** @jsxImportSource hono/jsx */
import { sourcePictures } from "../../../../catalog/sources/pictures/pictures.ts";
import type { SourceState as State } from "../../../../catalog/sources/source-schedule.ts";
import { readSchedule } from "../../../../catalog/sources/source-schedule.ts";
import type { DoneFile, Source, SourceFault } from "../../../../catalog/sources/sources.table.ts";
import { isBot } from "../../../../catalog/sources/sources.table.ts";
import type { Message } from "../../../../values/messages/messages.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Instant, shownInterval, shownNumber, told } from "../../look/shown.tsx";
import { asset, useVisit } from "../../visit/visit.ts";

/** Advice for faults that do not say themselves what to do. */
const ADVICE = {
  sourceUnresolved: "waits",
  sourceUnreachable: "waits",
  sourceTimeout: "waits",
  sourceSlow: "waits",
  sourceBroken: "waits",
  sourceNoSuchName: "address",
  sourceStatus: "address",
  sourceHtml: "address",
  sourceRedirects: "address",
  sourceTooLarge: "address",
  sourceAnswerTooLarge: "api",
  botAnswerWrong: "api",
  botRefused: "api",
  sourceRunKilled: "killed",
} as const satisfies Partial<Record<Message["code"], string>>;

/** Faults whose texts say it. */
const SAYS_IT = /^(?:source(?:Refused|Certificate|Redirected|Secret|Clock|Folder)|bot)/;

/** What to do about a fault of a source, apart from what its text says; null if that is all. */
export function adviceFor(
  { code }: Message,
  { settings }: Pick<Source, "settings">,
): string | null {
  const { advice } = useVisit().words.sourcePages;
  if (code in ADVICE) return advice[ADVICE[code as keyof typeof ADVICE]];
  return isBot(settings) || SAYS_IT.test(code) ? null : advice.file;
}

/** The latest faults of a source, the newest first. */
export function Faults({ faults }: { faults: readonly SourceFault[] }) {
  const words = useVisit().words.sourcePages;
  return (
    <>
      <h2>{words.lastFaults}</h2>
      <DataTable
        label={words.lastFaults}
        rows={faults}
        columns={[
          [words.fault, ({ failure }) => <bdi>{told(failure)}</bdi>, "row"],
          [words.faultLast, ({ to }) => <Instant at={to} />],
          [words.faultRuns, ({ runs }) => shownNumber(runs), "number"],
        ]}
      />
    </>
  );
}

/** Files of a folder that could not be read; nothing if there are none. */
export function SetAside({ files }: { files: readonly DoneFile[] }) {
  const words = useVisit().words.sourcePages;
  if (files.length === 0) return null;
  return (
    <>
      <h2>{words.setAside}</h2>
      <p>{words.setAsideHint}</p>
      <DataTable
        label={words.setAside}
        rows={files}
        columns={[
          [words.file, ({ name }) => <bdi>{name}</bdi>, "row"],
          [
            words.setAsideWhy,
            ({ fault, isMoved }) => (
              <>
                {fault !== null && <bdi>{told(fault)}</bdi>}
                {!isMoved && <small> ({words.setAsideLeft})</small>}
              </>
            ),
            "long",
          ],
        ]}
      />
    </>
  );
}

/** A drawing from the guide. It adds nothing to the steps above it, so it needs no alternative text. */
export function BotPicture({ name }: { name: string }) {
  const translated = `${name}.${useVisit().language}.svg`;
  const file = translated in sourcePictures ? translated : `${name}.svg`;
  return <img class="picture" src={asset(`/docs/pictures/${file}`)} alt="" />;
}

/** A source's state, coloured by its meaning. */
export function SourceState({ state }: { state: State }) {
  return (
    <span class={`badge ${COLOURS[state]}`}>{useVisit().words.sourcePages.states[state]}</span>
  );
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
