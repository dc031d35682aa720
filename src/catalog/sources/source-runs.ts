import { AppError } from "../../errors.ts";
import { createIsAbandoned } from "../../ports/abandoned.ts";
import type { Random } from "../../ports/random.ts";
import { processName } from "../../ports/running.ts";
import { message } from "../../values/messages/messages.ts";
import { type HowRun, type RunParts, runClaimed } from "./claimed-run.ts";
import type { Outcome } from "./outcome.ts";
import { createRunsUnderWay } from "./runs-under-way.ts";
import { createSourceBeat, HEARTBEAT_MS } from "./source-beat.ts";
import { requireSource } from "./source-changes.ts";
import { hasUnread } from "./source-chats.store.ts";
import { isDue } from "./source-schedule.ts";
import { selectSources } from "./sources.store.ts";
import { isBot, type Source } from "./sources.table.ts";

/** Six heartbeats. */
const SILENT_MS = 6 * HEARTBEAT_MS;

/** Runs of sources: one at a time of each, over all processes on the file. */
export function createSourceRuns(parts: RunParts, random: Random) {
  const { db, changes, clock, log } = parts;
  const owner = processName(random.uuid(clock.now()));
  const underWay = createRunsUnderWay();
  const isAbandoned = createIsAbandoned(owner, SILENT_MS, clock);
  const beat = createSourceBeat(parts, owner, underWay);

  /** Whether nobody runs it, as far as can be told. */
  function isFree(source: Source): boolean {
    return source.owner === owner ? !underWay.has(source.id) : isAbandoned(source.id, source);
  }

  /** Whether pushes told of channels that are to be read. After a failure they wait for the next whole run. */
  async function hasPushed({ id, settings, isPaused, failures }: Source): Promise<boolean> {
    const takes = isBot(settings) && settings.pushes === true && !isPaused && failures === 0;
    return takes && (await hasUnread(db, id));
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
    const running = underWay.start(claimed, (signal) =>
      runClaimed(parts, owner, claimed, { ...how, signal }),
    );
    running.catch((error) => {
      const told = { err: error, source: source.name };
      log.error(told, "the end of a source's run could not be noted");
    });
    return { running };
  }

  return {
    beat,
    signal: underWay.signal,

    /**
     * Runs one at once and waits for its end; meanwhile `beat` is to be called every few seconds.
     * @param isAgain files are read that were read before
     * @throws AppError `not_found`; `conflict` where it is running, in whichever process
     */
    async runNow(id: number, { isAgain = false } = {}): Promise<Outcome> {
      const source = await requireSource(db, id);
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
          if (underWay.signal.aborted) return;
          if (!isFree(source) || underWay.isFull(source)) continue;
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

    settled: underWay.settled,
    /** Ends what is under way: it is run again. */
    stop: underWay.stop,
  };
}

/** A run whose process is gone is taken up again; after a failure it waits, since it may be the cause. */
function wasCutShort({ owner, isPaused, failures }: Source): boolean {
  return owner !== null && !isPaused && failures === 0;
}
