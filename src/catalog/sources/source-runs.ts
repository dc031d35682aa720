import type { Database } from "../../db/database.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Random } from "../../ports/random.ts";
import { processName } from "../../ports/running.ts";
import { message } from "../../values/messages/messages.ts";
import type { SecretBox } from "../../values/secret-box.ts";
import { INTERRUPTED } from "../imports/source.ts";
import { createAbandonedRuns } from "./abandoned-runs.ts";
import type { BatchRun } from "./apply-batch.ts";
import type { SourceFile } from "./import-source-file.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { BotSecret, createPushes } from "./pushes.ts";
import { type RunTools, runSource } from "./run-source.ts";
import type { SourceChanges } from "./source-changes.ts";
import { hasUnread, selectChats } from "./source-chats.store.ts";
import { isDue } from "./source-schedule.ts";
import { selectDoneFiles, selectSource, selectSources } from "./sources.store.ts";
import { isBot, type Source } from "./sources.table.ts";

/** Sources that one process runs at once. Bots wait most of the time, so they do not hold up files. */
const AT_ONCE_MAX = { files: 4, bots: 32 };
const HEARTBEAT_MS = 10_000;

interface HowRun {
  mayWait: boolean;
  /** False: only channels that changed are read. */
  isWhole: boolean;
  /** Whether files are read that were read before. */
  isAgain: boolean;
  /** Aborted where the run is to stop. */
  signal: AbortSignal;
}

interface RunUnderWay {
  running: Promise<unknown>;
  isBot: boolean;
  /** The source was paused when the run began: somebody asked for this one run. */
  isPaused: boolean;
  stop: AbortController;
}

/** Told in place of a cause that means nothing to the operator. */
const FAILED = message("importFailed");

/** Needs of runs of sources, beside what is a source's own. */
export interface RunSurroundings
  extends Pick<RunTools, "download" | "ask" | "files" | "storedPosts" | "isHandleTaken"> {
  /** Opens the headers of pulls and the tokens of bots. */
  secrets(): Promise<SecretBox>;
  /** @param signal breaks the import off */
  importFile(
    file: Omit<SourceFile, "messengerHosts" | "openDays" | "stop">,
    signal: AbortSignal,
  ): ReturnType<RunTools["importFile"]>;
  applyBatch(
    run: Pick<BatchRun, "id" | "owner" | "batch" | "position">,
  ): ReturnType<RunTools["apply"]>;
}

/**
 * Runs of sources: one at a time of each, over all processes on the file.
 * @param pushes where updates of a bot are to be pushed
 */
export function createSourceRuns(
  db: Database,
  changes: SourceChanges,
  pushes: Pick<ReturnType<typeof createPushes>, "of">,
  surroundings: RunSurroundings,
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
) {
  const owner = processName(random.uuid(clock.now()));
  const underWay = new Map<number, RunUnderWay>();
  const stopping = new AbortController();
  const isAbandoned = createAbandonedRuns(owner, clock);
  let nextHeartbeatMs = 0;

  /** Whether nobody runs it, as far as can be told. */
  function isFree(source: Source): boolean {
    return source.owner === owner ? !underWay.has(source.id) : isAbandoned(source);
  }

  /** A run whose process is gone is taken up again; after a failure it waits, since it may be the cause. */
  function wasCutShort({ owner, isPaused, failures }: Source): boolean {
    return owner !== null && !isPaused && failures === 0;
  }

  /** Whether pushes told of channels that are to be read. After a failure they wait for the next whole run. */
  async function hasPushed({ id, settings, isPaused, failures }: Source): Promise<boolean> {
    const takes = isBot(settings) && settings.pushes === true && !isPaused && failures === 0;
    return takes && (await hasUnread(db, id));
  }

  /** Runs a claimed source and notes how it ended. */
  async function run(source: Source, how: HowRun): Promise<Outcome> {
    const { id } = source;
    const outcome = await outcomeOf(source, how);
    if (outcome.failure?.code === INTERRUPTED.code) await changes.releaseSource(id, owner);
    else await changes.endSource({ id, owner, ...outcome });
    return outcome;
  }

  async function outcomeOf(source: Source, { signal, ...how }: HowRun): Promise<Outcome> {
    try {
      const { id, secret: sealed, succeededAt } = source;
      const begunMs = clock.monotonic();
      const secret = sealed === null ? "{}" : (await surroundings.secrets()).open(sealed);
      if (secret === null) {
        return failed(message(isBot(source.settings) ? "botSecret" : "sourceSecret"));
      }
      return await runSource(source, JSON.parse(secret) as Record<string, string>, {
        ...surroundings,
        ...{ ...how, signal, succeededAt },
        pushes: pushes.of(source, JSON.parse(secret) as BotSecret),
        sleep: (durationMs) => clock.sleep(durationMs, signal),
        importFile: (file) => surroundings.importFile({ ...file, id, owner }, signal),
        apply: (batch, position) => surroundings.applyBatch({ id, owner, batch, position }),
        chats: () => selectChats(db, id),
        doneFiles: () => selectDoneFiles(db, id),
        fileDone: (file) => changes.fileDone({ id, owner }, file),
        nowMs: clock.now,
        elapsedMs: () => clock.monotonic() - begunMs,
      });
    } catch (error) {
      log.error({ err: error, source: source.name }, "a source could not be run");
      return failed(FAILED);
    }
  }

  /**
   * @returns its run, in an object, since an async function waits for a promise that it returns; null where
   *   another process has it
   */
  async function claim(
    source: Source,
    how: Omit<HowRun, "signal">,
  ): Promise<{ running: Promise<Outcome> } | null> {
    const claimed = await changes.claimSource(source, owner);
    if (claimed === undefined) return null;
    const own = new AbortController();
    const signal = AbortSignal.any([own.signal, stopping.signal]);
    const running = run(claimed, { ...how, signal });
    const { isPaused } = claimed;
    underWay.set(source.id, { running, isBot: isBot(source.settings), isPaused, stop: own });
    const forget = (): void => void underWay.delete(source.id);
    void running.then(forget, (error) => {
      forget();
      log.error(
        { err: error, source: source.name },
        "the end of a source's run could not be noted",
      );
    });
    return { running };
  }

  /** Stops runs of sources that were removed or paused since they began. */
  async function stopUnwanted(): Promise<void> {
    for (const [id, { isPaused, stop }] of underWay) {
      const source = await selectSource(db, id);
      if (source === undefined || (source.isPaused && !isPaused)) stop.abort();
    }
  }

  /** Says, every few seconds at the most, that what runs here goes on, and stops what is not to. */
  async function beat(): Promise<void> {
    await stopUnwanted();
    if (underWay.size === 0 || clock.monotonic() < nextHeartbeatMs) return;
    nextHeartbeatMs = clock.monotonic() + HEARTBEAT_MS;
    await changes.sourceHeartbeat(owner);
  }

  /** Settles when the runs under way have ended. */
  async function settled(): Promise<void> {
    while (underWay.size > 0) {
      await Promise.allSettled([...underWay.values()].map(({ running }) => running));
    }
  }

  function isFull(source: Source): boolean {
    const isBotsRun = isBot(source.settings);
    const running = [...underWay.values()].filter((one) => one.isBot === isBotsRun).length;
    return running >= (isBotsRun ? AT_ONCE_MAX.bots : AT_ONCE_MAX.files);
  }

  return {
    beat,
    /** Aborted where this process stops. */
    signal: stopping.signal,

    /**
     * Runs one at once and waits for its end; meanwhile `beat` is to be called every few seconds.
     * @param isAgain files are read that were read before
     * @throws AppError `not_found`; `conflict` where it is running, in whichever process
     */
    async runNow(id: number, { isAgain = false } = {}): Promise<Outcome> {
      const source = await selectSource(db, id);
      if (source === undefined) throw notFound("source", id);
      const claimed = isFree(source)
        ? await claim(source, { mayWait: false, isWhole: true, isAgain })
        : null;
      if (claimed === null) throw new AppError("conflict", message("sourceRuns", source));
      return claimed.running;
    },

    /** Every few seconds: starts what is due, and says that what runs goes on. Never throws. */
    async look(): Promise<void> {
      try {
        await beat();
        const nowMs = clock.now();
        for (const source of await selectSources(db)) {
          if (stopping.signal.aborted) return;
          if (!isFree(source) || isFull(source)) continue;
          const isWhole = wasCutShort(source) || isDue(source, nowMs);
          if (isWhole || (await hasPushed(source))) {
            await claim(source, { mayWait: true, isWhole, isAgain: false });
          }
        }
      } catch (error) {
        log.warn({ err: error }, "sources could not be looked after; it is tried again");
      }
    },

    /** Every few seconds where another process starts what is due: says that what runs here goes on. Never throws. */
    async keepOn(): Promise<void> {
      await beat().catch((error) =>
        log.warn({ err: error }, "the runs of sources could not be said to go on"),
      );
    },

    settled,

    /** Ends what is under way: what was read so far is imported, and it is run again. */
    async stop(): Promise<void> {
      stopping.abort();
      await settled();
    },
  };
}
