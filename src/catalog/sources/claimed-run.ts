import type { Database } from "../../db/database.ts";
import { withDeadline } from "../../db/deadline.ts";
import { BOT_RUN_MAX_MS } from "../../ports/own-work.ts";
import type { Ports } from "../../ports/ports.ts";
import { inEnglish, message } from "../../values/messages/messages.ts";
import type { SecretBox } from "../../values/secret-box.ts";
import { INTERRUPTED } from "../imports/reading/input.ts";
import type { BatchRun } from "./bots/batch-writer.ts";
import { type BotRunTools, type BotSecret, runBot } from "./bots/bot-messenger.ts";
import { BOT_MESSENGERS, DEMO_MESSENGERS } from "./bots/bots.ts";
import { selectChats } from "./bots/source-chats.store.ts";
import { type FileTools, orFailed, pullFile } from "./files/download-file.ts";
import type { createImportTurns, SourceFile } from "./files/import-source-file.ts";
import { readFolder } from "./files/read-folder.ts";
import type { createPushes } from "./max/pushes.ts";
import type { SourceChanges } from "./source-changes.ts";
import { failed, type Outcome } from "./source-run-changes.ts";
import { selectDoneFiles, selectSource } from "./sources.store.ts";
import { fileMaxMs, isBot, type Source } from "./sources.table.ts";

interface RunTools extends BotRunTools, FileTools {}

/**
 * Runs a source once. Faults of the other side or its file become outcomes; faults of this machine are
 * thrown.
 * @param secret decrypted: the headers of a pull, or the token of a bot
 */
async function runSource(
  { settings, position }: Source,
  secret: Record<string, string>,
  tools: RunTools,
): Promise<Outcome> {
  if (isBot(settings)) {
    const { token = "" } = secret;
    const messenger = BOT_MESSENGERS[settings.kind];
    return orFailed(() => runBot(messenger, { ...settings, token }, position, tools));
  }
  return orFailed(() =>
    settings.kind === "pull"
      ? pullFile(settings, position, secret, tools)
      : readFolder(settings, tools),
  );
}

export interface RunOptions {
  mayWait: boolean;
  /** False to read only channels that changed. */
  isWhole: boolean;
  isAgain: boolean;
  /** Aborted when the run should stop. */
  signal: AbortSignal;
}

export interface RunSurroundings
  extends Pick<RunTools, "download" | "ask" | "files" | "storedPosts" | "isHandleTaken"> {
  /** Decrypts the headers of pulls and the tokens of bots. */
  secrets(): Promise<SecretBox>;
  /** @param signal interrupts the import */
  importFile(
    file: Omit<SourceFile, "messengerHosts" | "openDays" | "stop">,
    signal: AbortSignal,
  ): ReturnType<RunTools["importFile"]>;
  applyBatch(
    run: Pick<BatchRun, "id" | "owner" | "batch" | "position">,
  ): ReturnType<RunTools["apply"]>;
}

export interface RunParts extends Pick<Ports, "clock" | "log"> {
  db: Database;
  changes: SourceChanges;
  pushes: Pick<ReturnType<typeof createPushes>, "of">;
  surroundings: RunSurroundings;
  turns: ReturnType<typeof createImportTurns>;
}

/** Shown for unexpected errors, whose cause would mean nothing to the operator; the log has it. */
const FAILED = message("importFailed");

/**
 * Runs a source that this process has claimed, and records how it ended. An interrupted run is not
 * recorded: it is released, to be repeated.
 */
export async function runClaimed(
  parts: RunParts,
  owner: string,
  source: Source,
  how: RunOptions,
): Promise<Outcome> {
  const { changes, log } = parts;
  const { id, name } = source;
  const outcome = await orFailed(() => outcomeOf(parts, owner, source, how)).catch((error) => {
    log.error({ err: error, source: name }, "a source could not be run");
    return failed(FAILED);
  });
  const { failure, setAside } = outcome;
  for (const { name: file, fault } of setAside) {
    log.warn({ source: name, file, reason: inEnglish(fault) }, "a file was set aside");
  }
  if (failure !== null && failure.code !== INTERRUPTED.code) {
    log.warn({ source: name, reason: inEnglish(failure) }, "a source could not be read");
  }
  if (failure?.code === INTERRUPTED.code) await changes.releaseSource(id, owner);
  else await changes.endSource({ id, owner, ...outcome });
  return outcome;
}

async function outcomeOf(
  { db, changes, pushes, surroundings, turns, clock }: RunParts,
  owner: string,
  source: Source,
  { signal, ...how }: RunOptions,
): Promise<Outcome> {
  const { id, secret: sealed, settings, succeededAt } = source;
  const begunMs = clock.monotonic();
  const deadlineMs = isBot(settings) ? BOT_RUN_MAX_MS : fileMaxMs(settings);
  const limits = { deadlineMs, signal };
  const secret = sealed === null ? "{}" : (await surroundings.secrets()).open(sealed);
  if (secret === null) return failed(message(isBot(settings) ? "botSecret" : "sourceSecret"));
  const run = (signal: AbortSignal): Promise<Outcome> =>
    runSource(source, JSON.parse(secret) as Record<string, string>, {
      ...surroundings,
      ...how,
      ...(isBot(settings) &&
        settings.isDemo && { ask: DEMO_MESSENGERS[settings.kind].create(clock) }),
      signal,
      succeededAt,
      pushes: pushes.of(source, JSON.parse(secret) as BotSecret),
      sleep: (durationMs) => clock.sleep(durationMs, signal),
      download: (url, request) =>
        withDeadline(clock, limits, (signal) => surroundings.download(url, { ...request, signal })),
      importFile: (file) =>
        turns.take(id, limits, (signal, deadlineMs) =>
          surroundings.importFile({ ...file, id, owner, deadlineMs }, signal),
        ),
      apply: (batch, position) => surroundings.applyBatch({ id, owner, batch, position }),
      chats: async () => selectChats(db, { sourceId: id }),
      doneFiles: async () => selectDoneFiles(db, { sourceId: id }),
      fileDone: (file) => changes.fileDone({ id, owner }, file),
      nowMs: clock.now,
      elapsedMs: () => clock.monotonic() - begunMs,
    });
  // A folder may have any number of files, each with its own deadline.
  return isBot(settings) ? withDeadline(clock, limits, run) : run(signal);
}

export const HEARTBEAT_MS = 10_000;

/**
 * Looks after this process's runs: stops those no longer wanted, and sends the heartbeat for the others, at
 * most every `HEARTBEAT_MS`.
 * @param owner name of this process
 */
export function createSourceBeat(
  { db, changes, clock }: Pick<RunParts, "db" | "changes" | "clock">,
  owner: string,
  underWay: ReturnType<typeof createRunsUnderWay>,
): () => Promise<void> {
  let nextHeartbeatMs = 0;

  /** Stops runs of sources removed or paused since; one paused before is being run by hand. */
  async function stopUnwanted(): Promise<void> {
    for (const { source: begun, stop } of underWay.all()) {
      const source = await selectSource(db, { id: begun.id });
      if (source === undefined || (source.isPaused && !begun.isPaused)) stop();
    }
  }

  return async () => {
    await stopUnwanted();
    if (underWay.all().length === 0 || clock.monotonic() < nextHeartbeatMs) return;
    nextHeartbeatMs = clock.monotonic() + HEARTBEAT_MS;
    await changes.sourceHeartbeat(owner);
  };
}

/** Most concurrent runs of a process: all mostly wait for the other side, but files take room on the disk. */
const AT_ONCE_MAX = { files: 16, bots: 32 };

interface RunUnderWay {
  source: Source;
  running: Promise<Outcome>;
  stop(): void;
}

/** The host of a file, which serves one source at a time; null for folders and bots. */
function hostOf(settings: Source["settings"]): string | null {
  return settings.kind === "pull" ? new URL(settings.url).host : null;
}

export function createRunsUnderWay() {
  const runs = new Map<number, RunUnderWay>();
  const stopping = new AbortController();

  /** Settles when all of them have ended. */
  async function settled(): Promise<void> {
    while (runs.size > 0) {
      await Promise.allSettled([...runs.values()].map(({ running }) => running));
    }
  }

  return {
    /** Aborted when this process stops. */
    signal: stopping.signal,
    settled,
    has: (id: number): boolean => runs.has(id),
    all: (): readonly RunUnderWay[] => [...runs.values()],

    /** Whether a source must wait: for a free slot, or for the one of its host. */
    mustWait({ settings }: Source): boolean {
      const all = [...runs.values()].map(({ source }) => source.settings);
      const host = hostOf(settings);
      const alike = all.filter((other) => isBot(other) === isBot(settings));
      return (
        alike.length >= AT_ONCE_MAX[isBot(settings) ? "bots" : "files"] ||
        (host !== null && all.some((one) => hostOf(one) === host))
      );
    },

    /** @param run gets a signal that is aborted when the run should stop */
    start(source: Source, run: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
      const own = new AbortController();
      const running = run(AbortSignal.any([own.signal, stopping.signal]));
      runs.set(source.id, { source, running, stop: () => own.abort() });
      const forget = (): void => void runs.delete(source.id);
      void running.then(forget, forget);
      return running;
    },

    /** Interrupts all runs and waits until they have ended. Rows already written stay. */
    async stop(): Promise<void> {
      stopping.abort();
      await settled();
    },
  };
}
