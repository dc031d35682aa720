import { type Actor, type AuditAction, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { putChat } from "./bots/source-chats.store.ts";
import { sourceRunChanges } from "./source-run-changes.ts";
import { readSchedule } from "./source-schedule.ts";
import {
  deleteSource,
  insertSource,
  type NewSource,
  selectSource,
  selectSourceNamed,
  selectSources,
  updateSource,
} from "./sources.store.ts";
import { isBot, type Source, type SourceChat, type SourcePosition } from "./sources.table.ts";

export type SourceChanges = Calls<typeof sourceChanges>;

export const NAME_LENGTH_MAX = 100;

/** A source with its initial position, and the channels its bot is known to be in. */
type AddedSource = Omit<NewSource, "createdAt"> & {
  position?: SourcePosition | undefined;
  chats?: readonly SourceChat[] | undefined;
};

/** @throws AppError `invalid` on `name`, `schedule` and, for a bot that another source reads, `token` */
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
    await requireNewBot(tx, source.settings);
    if ((await selectSourceNamed(tx, { name })) !== undefined) {
      throw fieldError({ name: [message("sourceNameTaken", { name })] });
    }
    const made = await insertSource(tx, { ...source, name, createdAt: clock.now() });
    if (position !== undefined) await updateSource(tx, made.id, { position });
    for (const chat of chats) await putChat(tx, made.id, chat);
    await record(tx, clock, by, "source.add", made);
    return made;
  });
}

/** Two sources of one bot would take each other's updates. @throws AppError `invalid` on `token` */
async function requireNewBot(tx: Transaction, settings: Source["settings"]): Promise<void> {
  if (!isBot(settings)) return;
  for (const { name, settings: other } of await selectSources(tx)) {
    if (isBot(other) && other.kind === settings.kind && other.bot === settings.bot) {
      throw fieldError({ token: [message("botTaken", { name })] });
    }
  }
}

function pauseSource(db: Database, clock: Clock, id: number, by: Actor): Promise<Source> {
  return setPaused(db, clock, id, true, by);
}

function resumeSource(db: Database, clock: Clock, id: number, by: Actor): Promise<Source> {
  return setPaused(db, clock, id, false, by);
}

const setPaused = transaction(
  "source",
  async (tx, clock, id: number, isPaused: boolean, by: Actor) => {
    const source = await requireSource(tx, id);
    if (source.isPaused === isPaused) return source;
    // Runs missed while it was paused do not count as failures.
    const fresh = isPaused ? {} : { failures: 0, failure: null, retryAt: null, isNotified: false };
    await updateSource(tx, id, { isPaused, isRequested: false, ...fresh });
    await record(tx, clock, by, isPaused ? "source.pause" : "source.resume", source);
    return requireSource(tx, id);
  },
);

/** Records whether updates are pushed, and requests a run, which tells the messenger. */
const setPushes = transaction(
  "source",
  async (
    tx,
    clock,
    id: number,
    { isOn, schedule }: { isOn: boolean; schedule: string },
    by: Actor,
  ) => {
    const source = await requireSource(tx, id);
    const { settings } = source;
    if (!isBot(settings) || (settings.pushes === true) === isOn) return source;
    await updateSource(tx, id, {
      settings: { ...settings, pushes: isOn },
      schedule,
      isRequested: true,
    });
    await record(tx, clock, by, isOn ? "source.pushes-on" : "source.pushes-off", source);
    return requireSource(tx, id);
  },
);

/**
 * Sets how long fetching a file, and importing it, may take from the next run on.
 * @throws AppError `invalid` on `time_limit` for a bot
 */
const setTimeLimit = transaction(
  "source",
  async (tx, clock, id: number, fileMaxMs: number, by: Actor) => {
    const source = await requireSource(tx, id);
    const { name, settings } = source;
    if (isBot(settings)) throw fieldError({ time_limit: [message("sourceOfBot", { name })] });
    if (settings.fileMaxMs === fileMaxMs) return source;
    await updateSource(tx, id, { settings: { ...settings, fileMaxMs } });
    await record(tx, clock, by, "source.change", source);
    return requireSource(tx, id);
  },
);

/** Requests a run as soon as possible, regardless of the schedule and of a pause. */
const requestRun = transaction("source", async (tx, clock, id: number, by: Actor) => {
  const source = await requireSource(tx, id);
  await updateSource(tx, id, { isRequested: true });
  await record(tx, clock, by, "source.run", source);
  return requireSource(tx, id);
});

/** Rows that it delivered stay. A run in progress writes nothing more. */
const removeSource = transaction("source", async (tx, clock, id: number, by: Actor) => {
  const source = await requireSource(tx, id);
  await deleteSource(tx, { id });
  await record(tx, clock, by, "source.remove", source);
  return source;
});

/** @throws AppError `not_found` */
export async function requireSource(db: Database, id: number): Promise<Source> {
  const source = await selectSource(db, { id });
  if (source === undefined) throw notFound("source", id);
  return source;
}

function record(
  tx: Transaction,
  clock: Clock,
  by: Actor,
  action: Extract<AuditAction, `source.${string}`>,
  { id, name, kind }: Source,
): Promise<void> {
  return recordChange(tx, clock, by, { action, id, details: { name, kind } });
}

/** Changes to sources and to the state of their runs, each in one transaction. */
export const sourceChanges = {
  addSource,
  pauseSource,
  resumeSource,
  requestRun,
  removeSource,
  setPushes,
  setTimeLimit,
  ...sourceRunChanges,
};
