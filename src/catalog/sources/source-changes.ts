import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction } from "../../db/transaction.ts";
import { fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { dayOf } from "../../values/moscow-time.ts";
import type { ImportSummary } from "../imports/import-summary.ts";
import { putChat } from "./source-chats.store.ts";
import { readSchedule } from "./source-schedule.ts";
import {
  claimSeen,
  countRows,
  type DoneFile,
  deleteSource,
  insertSource,
  type NewSource,
  putDoneFile,
  saveSourceHeartbeat,
  selectSource,
  selectSourceNamed,
  updateSource,
} from "./sources.store.ts";
import { isBot, type Source, type SourceChat, type SourcePosition } from "./sources.table.ts";

/** Changes of sources and the states of their runs, one transaction each. */
export const sourceChanges = {
  addSource,
  pauseSource,
  resumeSource,
  askSource,
  removeSource,
  setPushes,
  claimSource,
  sourceHeartbeat,
  endSource,
  releaseSource,
  fileDone,
};

export type SourceChanges = Calls<typeof sourceChanges>;

/** How a run ended. */
export interface SourceEnd {
  id: number;
  owner: string;
  /** Null: it succeeded. */
  failure: Message | null;
  /** The file of a folder at which it failed. */
  failedFile: string | null;
  /** After this it is to be run again: the other side asked for it, or a file was still written. Null: as usual. */
  retryAfterMs: number | null;
  /** How far it was read; null: as far as before. */
  position: SourcePosition | null;
  /** Null where there was nothing to read. */
  summary: ImportSummary | null;
  rows: number;
}

export const NAME_LENGTH_MAX = 100;

/** A source with what is known of it from the beginning on. */
type AddedSource = Omit<NewSource, "createdAt"> & {
  position?: SourcePosition | undefined;
  chats?: readonly SourceChat[] | undefined;
};

/** @throws AppError `invalid` on `name` and `schedule` */
async function addSource(
  db: Database,
  clock: Clock,
  { position, chats = [], ...source }: AddedSource,
  by: Actor,
): Promise<Source> {
  const name = source.name.trim();
  const faults = {
    ...((name === "" || name.length > NAME_LENGTH_MAX || /^\d+$|\p{Cc}/u.test(name)) && {
      name: [message("sourceNameWrong", { characters: NAME_LENGTH_MAX })],
    }),
    ...("fault" in readSchedule(source.schedule) && { schedule: [message("scheduleWrong")] }),
  };
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return inTransaction(db, clock, "source", async (tx) => {
    if ((await selectSourceNamed(tx, name)) !== undefined) {
      throw fieldError({ name: [message("sourceNameTaken", { name })] });
    }
    const made = await insertSource(tx, { ...source, name, createdAt: clock.now() });
    if (position !== undefined) await updateSource(tx, made.id, { position });
    for (const chat of chats) await putChat(tx, made.id, chat);
    await record(tx, clock, by, "source.add", made);
    return made;
  });
}

function pauseSource(db: Database, clock: Clock, id: number, by: Actor): Promise<Source> {
  return setPaused(db, clock, id, true, by);
}

function resumeSource(db: Database, clock: Clock, id: number, by: Actor): Promise<Source> {
  return setPaused(db, clock, id, false, by);
}

function setPaused(
  db: Database,
  clock: Clock,
  id: number,
  isPaused: boolean,
  by: Actor,
): Promise<Source> {
  return inTransaction(db, clock, "source", async (tx) => {
    const source = await requireSource(tx, id);
    if (source.isPaused === isPaused) return source;
    // Runs missed in a pause are no failures of the source.
    const fresh = isPaused
      ? {}
      : { failures: 0, failure: null, failedFile: null, retryAt: null, isTold: false };
    await updateSource(tx, id, { isPaused, isAsked: false, ...fresh });
    await record(tx, clock, by, isPaused ? "source.pause" : "source.resume", source);
    return requireSource(tx, id);
  });
}

/** Notes whether updates are pushed, and has the source run at once, which tells the messenger. */
function setPushes(
  db: Database,
  clock: Clock,
  id: number,
  { isOn, schedule }: { isOn: boolean; schedule: string },
  by: Actor,
): Promise<Source> {
  return inTransaction(db, clock, "source", async (tx) => {
    const source = await requireSource(tx, id);
    const { settings } = source;
    if (!isBot(settings) || (settings.pushes === true) === isOn) return source;
    await updateSource(tx, id, {
      settings: { ...settings, pushes: isOn },
      schedule,
      isAsked: true,
    });
    await record(tx, clock, by, isOn ? "source.pushes-on" : "source.pushes-off", source);
    return requireSource(tx, id);
  });
}

/** Has it run as soon as somebody looks, whatever its schedule. */
function askSource(db: Database, clock: Clock, id: number, by: Actor): Promise<Source> {
  return inTransaction(db, clock, "source", async (tx) => {
    const source = await requireSource(tx, id);
    await updateSource(tx, id, { isAsked: true });
    await record(tx, clock, by, "source.run", source);
    return source;
  });
}

/** Rows that it gave stay. A run under way writes no more. */
function removeSource(db: Database, clock: Clock, id: number, by: Actor): Promise<Source> {
  return inTransaction(db, clock, "source", async (tx) => {
    const source = await requireSource(tx, id);
    await deleteSource(tx, id);
    await record(tx, clock, by, "source.remove", source);
    return source;
  });
}

/** @returns the source, or undefined where another process was faster or it is gone */
function claimSource(
  db: Database,
  clock: Clock,
  seen: Pick<Source, "id" | "owner" | "heartbeatAt">,
  owner: string,
): Promise<Source | undefined> {
  return inTransaction(db, clock, "source-claim", (tx) =>
    claimSeen(tx, seen, { owner, now: clock.now() }),
  );
}

/** Says that the runs of a process go on. */
function sourceHeartbeat(db: Database, clock: Clock, owner: string): Promise<void> {
  return inTransaction(db, clock, "source-heartbeat", (tx) =>
    saveSourceHeartbeat(tx, { owner, now: clock.now() }),
  );
}

/** Notes how a run ended, and how far it came. Nothing where another process has taken the source. */
function endSource(db: Database, clock: Clock, end: SourceEnd): Promise<void> {
  return inTransaction(db, clock, "source-end", async (tx) => {
    const source = await selectSource(tx, end.id);
    if (source?.owner !== end.owner) return;
    const now = clock.now();
    const { failure, failedFile, retryAfterMs, position, summary, rows } = end;
    await updateSource(tx, end.id, {
      ...{ owner: null, heartbeatAt: null, endedAt: now, failure, failedFile },
      ...(failure === null
        ? { succeededAt: now, failures: 0, isTold: false }
        : { failures: source.failures + 1 }),
      retryAt: retryAfterMs === null ? null : now + retryAfterMs,
      ...(position !== null && { position }),
      ...(summary !== null && { summary }),
    });
    if (rows > 0) await countRows(tx, { sourceId: end.id, day: dayOf(now), rows });
  });
}

/** Gives back a source whose run was cut short: whoever looks next runs it again. */
function releaseSource(db: Database, clock: Clock, id: number, owner: string): Promise<void> {
  return inTransaction(db, clock, "source-end", async (tx) => {
    const source = await selectSource(tx, id);
    if (source?.owner !== owner) return;
    // One that was paused meanwhile stays so.
    const isAsked = source.isAsked || !source.isPaused;
    await updateSource(tx, id, { owner: null, heartbeatAt: null, isAsked });
  });
}

/** Notes that a file of a folder was imported, so that it is not read again. */
function fileDone(
  db: Database,
  clock: Clock,
  run: { id: number; owner: string },
  file: DoneFile,
): Promise<void> {
  return inTransaction(db, clock, "source-file", async (tx) => {
    if ((await selectSource(tx, run.id))?.owner === run.owner) await putDoneFile(tx, run.id, file);
  });
}

/** @throws AppError `not_found` */
async function requireSource(db: Database, id: number): Promise<Source> {
  const source = await selectSource(db, id);
  if (source === undefined) throw notFound("source", id);
  return source;
}

function record(
  tx: Transaction,
  clock: Clock,
  by: Actor,
  action:
    | "source.add"
    | "source.pause"
    | "source.resume"
    | "source.run"
    | "source.remove"
    | "source.pushes-on"
    | "source.pushes-off",
  { id, name, kind }: Source,
): Promise<void> {
  return recordChange(tx, clock, by, {
    organizationId: null,
    action,
    target: `source ${id}`,
    details: { name, kind },
  });
}
