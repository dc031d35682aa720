import type { Database } from "../../db/database.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Ports, Random } from "../../ports/ports.ts";
import { createIsAbandoned, processName } from "../../ports/system.ts";
import { message } from "../../values/messages/messages.ts";
import { dayOf } from "../../values/moscow-time.ts";
import { hasUnread, selectChats } from "./bots/source-chats.store.ts";
import type { RunOptions, RunParts, RunSurroundings } from "./claimed-run.ts";
import { createRunsUnderWay, createSourceBeat, HEARTBEAT_MS, runClaimed } from "./claimed-run.ts";
import { createImportTurns } from "./files/import-source-file.ts";
import { createPushes } from "./max/pushes.ts";
import { type AddingTools, createSourceAdding } from "./source-adding.ts";
import { requireSource, type SourceChanges } from "./source-changes.ts";
import type { Outcome } from "./source-run-changes.ts";
import { dueAt, isDue, isSilent } from "./source-schedule.ts";
import {
  RUN_KILLED,
  selectRowsByDay,
  selectSetAside,
  selectSource,
  selectSourceNamed,
  selectSources,
} from "./sources.store.ts";
import { type DoneFile, isBot, type Source, type SourceChat } from "./sources.table.ts";

/** Files that were set aside, on a page. */
const SET_ASIDE_SHOWN = 50;

export type Sources = ReturnType<typeof createSources>;

/**
 * Sources: places that data is fetched from automatically.
 * @param db for reading
 * @param changes run on a writing connection
 */
export function createSources(
  db: Database,
  changes: SourceChanges,
  surroundings: RunSurroundings &
    Pick<AddingTools, "allows"> & {
      /** Base address that MAX can push to; null if it accepts none of ours. */
      pushBase: string | null;
    },
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
) {
  const { secrets, pushBase, applyBatch } = surroundings;
  const pushes = createPushes(db, changes, {
    base: pushBase,
    secrets,
    write: (id, batch) => applyBatch({ id, owner: null, batch, position: null }),
  });
  const turns = createImportTurns(clock);
  const parts = { db, changes, pushes, surroundings, turns, clock, log };
  const { signal, ...runs } = createSourceRuns(parts, random);
  return {
    ...changes,
    ...runs,
    ...createSourceAdding(changes, { ...surroundings, random, clock, signal }),
    setPushes: pushes.set,
    openPush: pushes.open,

    list: async (): Promise<Source[]> => selectSources(db),

    chats: async (id: number): Promise<SourceChat[]> => selectChats(db, { sourceId: id }),

    /** Finds a source by number or name. @throws AppError `not_found` */
    async find(named: string): Promise<Source> {
      const isNumber = /^\d+$/.test(named);
      const found = await (isNumber
        ? selectSource(db, { id: Number(named) })
        : selectSourceNamed(db, { name: named }));
      if (found === undefined) throw notFound("source", named);
      return found;
    },

    /** The latest files of a folder that could not be read. */
    setAside: async (id: number): Promise<DoneFile[]> =>
      selectSetAside(db, { sourceId: id, limit: SET_ASIDE_SHOWN }),

    /** Rows read on each of the last `days` days that had any, earliest first. */
    rowsByDay: (id: number, days: number) =>
      selectRowsByDay(db, { sourceId: id, from: dayOf(clock.now()) - days + 1 }),

    async silent(): Promise<Source[]> {
      const nowMs = clock.now();
      return (await selectSources(db)).filter((source) => isSilent(source, nowMs));
    },
  };
}

/** A run whose last six heartbeats are missing counts as abandoned. */
const SILENT_MS = 6 * HEARTBEAT_MS;

/** Runs sources, at most one run of each at a time across all processes on the file. */
function createSourceRuns(parts: RunParts, random: Random) {
  const { db, changes, clock, log } = parts;
  const owner = processName(random.uuid(clock.now()));
  const underWay = createRunsUnderWay();
  const isAbandoned = createIsAbandoned(owner, SILENT_MS, clock);
  const beat = createSourceBeat(parts, owner, underWay);

  /** Whether no process is running it, as far as its heartbeat shows. */
  function isFree(source: Source): boolean {
    return source.owner === owner ? !underWay.has(source.id) : isAbandoned(source.id, source);
  }

  /**
   * Whether pushes reported channels to read. After a failure these wait for the next complete run, which
   * honors the wait for failures.
   */
  async function hasPushed({ id, settings, isPaused, failures }: Source): Promise<boolean> {
    const isPushed = isBot(settings) && settings.pushes === true && !isPaused && failures === 0;
    return isPushed && (await hasUnread(db, { sourceId: id }));
  }

  /**
   * @returns its run, wrapped in an object because an async function would wait for a returned promise;
   * null if another process holds it
   */
  async function claim(
    source: Source,
    how: Omit<RunOptions, "signal">,
  ): Promise<{ running: Promise<Outcome> } | null> {
    const claimed = await changes.claimSource(source, owner);
    if (claimed === undefined) return null;
    const running = underWay.start(claimed, (signal) =>
      runClaimed(parts, owner, claimed, { ...how, signal }),
    );
    running.catch((error) => {
      const details = { err: error, source: source.name };
      log.error(details, "the end of a source's run could not be recorded");
    });
    return { running };
  }

  return {
    beat,
    signal: underWay.signal,

    /**
     * Runs a source at once and waits for the end; `beat` must be called every few seconds meanwhile.
     * @param isAgain whether to read files again that were read before
     * @throws AppError `not_found`; `conflict` if it is running in any process
     */
    async runNow(id: number, { isAgain = false } = {}): Promise<Outcome> {
      const source = await requireSource(db, id);
      const claimed = isFree(source)
        ? await claim(source, { mayWait: false, isWhole: true, isAgain })
        : null;
      if (claimed === null) {
        throw new AppError("conflict", message("sourceRuns", { name: source.name }));
      }
      return claimed.running;
    },

    /** Called every second: starts what is due, and looks after what is running. Never throws. */
    async tick(): Promise<void> {
      try {
        await beat();
        const nowMs = clock.now();
        const byTurn = (await selectSources(db)).toSorted(
          (a, b) => dueAt(a, nowMs) - dueAt(b, nowMs),
        );
        for (const source of byTurn) {
          if (underWay.signal.aborted) return;
          if (!isFree(source) || underWay.mustWait(source)) continue;
          const isWhole = wasInterrupted(source) || isDue(source, nowMs);
          if (isWhole || (await hasPushed(source))) {
            await claim(source, { mayWait: true, isWhole, isAgain: false });
          }
        }
      } catch (error) {
        log.warn({ err: error }, "sources could not be checked; the next check follows in seconds");
      }
    },

    /**
     * Called every second in place of `tick` while another process starts what is due: only looks after
     * the runs here. Never throws.
     */
    async keepAlive(): Promise<void> {
      await beat().catch((error) =>
        log.warn({ err: error }, "the heartbeat of sources' runs could not be written"),
      );
    },

    settled: underWay.settled,
    /** Interrupts this process's runs; they are repeated later. */
    stop: underWay.stop,
  };
}

/**
 * Whether the last run ended with its process, and should be repeated at once. If the run before it did too,
 * and it wrote nothing, it waits, since the source may be the cause.
 */
function wasInterrupted({ owner, isPaused, failure }: Source): boolean {
  return owner !== null && !isPaused && failure?.code !== RUN_KILLED.code;
}
