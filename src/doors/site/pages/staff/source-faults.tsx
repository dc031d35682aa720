/** @jsxImportSource hono/jsx */
import {
  type DoneFile,
  isBot,
  type Source,
  type SourceFault,
} from "../../../../catalog/sources/sources.table.ts";
import type { Message } from "../../../../values/messages/messages.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Instant, shownNumber, told } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";

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
