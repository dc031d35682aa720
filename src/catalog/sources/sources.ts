import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { AppError, fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Random } from "../../ports/random.ts";
import { hasEnded, processName } from "../../ports/running.ts";
import { message } from "../../values/messages/messages.ts";
import { dayOf } from "../../values/moscow-time.ts";
import type { SecretBox } from "../../values/secret-box.ts";
import { INTERRUPTED } from "../imports/source.ts";
import { NOTHING, type Outcome, type RunTools, runSource } from "./run-source.ts";
import { readSourceAddress, type SourceAddress } from "./source-address.ts";
import type { SourceChanges } from "./source-changes.ts";
import { isDue, isSilent } from "./source-schedule.ts";
import {
  selectDoneFiles,
  selectRowsByDay,
  selectSource,
  selectSourceNamed,
  selectSources,
} from "./sources.store.ts";
import type { Source, SourceSettings } from "./sources.table.ts";

export type Sources = ReturnType<typeof createSources>;

/** A source to be added. */
export interface NewSettings {
  name: string;
  settings: SourceSettings;
  headers: Record<string, string>;
  schedule: string;
}

/** Sources that one process runs at once. */
const AT_ONCE_MAX = 4;
const HEARTBEAT_MS = 10_000;
/** Six heartbeats. */
const SILENT_MS = 60_000;

/** Told in place of a cause that means nothing to the operator. */
const FAILED = message("importFailed");

/**
 * Sources, and their runs: one at a time of each, over all processes on the file.
 * @param db where they are read
 * @param changes as they are run on a connection that writes
 * @param surroundings what a run needs beside what is the source's own
 */
export function createSources(
  db: Database,
  changes: SourceChanges,
  surroundings: Pick<RunTools, "download" | "importFile" | "files"> & {
    /** Whether an address may be asked, as far as that can be told without a name server. */
    allows(address: SourceAddress): Promise<boolean>;
    /** Seals and opens the headers of pulls. */
    secrets(): Promise<SecretBox>;
    /** Has an import that is under way break off. */
    stopImports(): void;
  },
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
) {
  const owner = processName(random.uuid(clock.now()));
  const underWay = new Map<number, Promise<unknown>>();
  const stopping = new AbortController();
  /** The last heartbeat of each source of another process, and when this process first saw it. */
  const heartbeats = new Map<number, { at: number | null; sinceMs: number }>();
  let nextHeartbeatMs = 0;

  /** Whether nobody runs it, as far as can be told; clocks may be set back, so passed time is measured. */
  function isFree(source: Source): boolean {
    if (source.owner === null) return true;
    if (source.owner === owner) return !underWay.has(source.id);
    if (hasEnded(source.owner, owner)) return true;
    const nowMs = clock.monotonic();
    const seen = heartbeats.get(source.id);
    if (seen?.at === source.heartbeatAt) return nowMs - seen.sinceMs > SILENT_MS;
    heartbeats.set(source.id, { at: source.heartbeatAt, sinceMs: nowMs });
    return false;
  }

  /** A run whose process is gone is taken up again; after a failure it waits, since it may be the cause. */
  function wasCutShort({ owner, isPaused, failures }: Source): boolean {
    return owner !== null && !isPaused && failures === 0;
  }

  /** Runs a claimed source and notes how it ended. */
  async function run(source: Source): Promise<Outcome> {
    const { id } = source;
    const outcome = await outcomeOf(source);
    if (outcome.failure?.code === INTERRUPTED.code) await changes.releaseSource(id, owner);
    else await changes.endSource({ id, owner, ...outcome });
    return outcome;
  }

  async function outcomeOf(source: Source): Promise<Outcome> {
    try {
      const sealed = source.secret;
      const secret = sealed === null ? "{}" : (await surroundings.secrets()).open(sealed);
      if (secret === null) return { ...NOTHING, failure: message("sourceSecret") };
      return await runSource(source, JSON.parse(secret) as Record<string, string>, {
        ...surroundings,
        doneFiles: () => selectDoneFiles(db, source.id),
        fileDone: (file) => changes.fileDone({ id: source.id, owner }, file),
        nowMs: clock.now,
        signal: stopping.signal,
      });
    } catch (error) {
      log.error({ err: error, source: source.name }, "a source could not be run");
      return { ...NOTHING, failure: FAILED };
    }
  }

  /**
   * @returns its run, in an object, since an async function waits for a promise that it returns; null where
   *   another process has it
   */
  async function claim(source: Source): Promise<{ running: Promise<Outcome> } | null> {
    const claimed = await changes.claimSource(source, owner);
    if (claimed === undefined) return null;
    const running = run(claimed);
    underWay.set(source.id, running);
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

  /** Says, every few seconds at the most, that what runs here goes on. */
  async function beat(): Promise<void> {
    if (underWay.size === 0 || clock.monotonic() < nextHeartbeatMs) return;
    nextHeartbeatMs = clock.monotonic() + HEARTBEAT_MS;
    await changes.sourceHeartbeat(owner);
  }

  return {
    ...changes,
    beat,

    /**
     * @param source.headers of a pull, sent with each request and never shown again
     * @throws AppError `invalid` by field
     */
    async add(source: NewSettings, by: Actor): Promise<Source> {
      const { name, settings, headers, schedule } = source;
      const read = settings.kind === "pull" ? readSourceAddress(settings.url) : null;
      if (read !== null && "fault" in read) throw fieldError({ url: [read.fault] });
      if (read !== null && !(await surroundings.allows(read.value))) {
        const { host } = read.value.target;
        throw fieldError({ url: [message("sourceRefused", { host })] });
      }
      const hasHeaders = Object.keys(headers).length > 0;
      const box = hasHeaders ? await surroundings.secrets() : null;
      const secret = box === null ? null : box.seal(JSON.stringify(headers));
      return changes.addSource({ name, kind: settings.kind, settings, secret, schedule }, by);
    },

    list: (): Promise<Source[]> => selectSources(db),

    /** By its number or its name. @throws AppError `not_found` */
    async find(named: string): Promise<Source> {
      const isNumber = /^\d+$/.test(named);
      const found = isNumber
        ? await selectSource(db, Number(named))
        : await selectSourceNamed(db, named);
      if (found === undefined) throw notFound("source", named);
      return found;
    },

    /** Rows that were read on each of the last days that have some, the earliest first. */
    rowsByDay: (id: number, days: number) => selectRowsByDay(db, id, dayOf(clock.now()) - days + 1),

    /** Sources without a success for three of their intervals. */
    async silent(): Promise<Source[]> {
      const nowMs = clock.now();
      return (await selectSources(db)).filter((source) => isSilent(source, nowMs));
    },

    /**
     * Runs one at once and waits for its end; meanwhile `beat` is to be called every few seconds.
     * @throws AppError `not_found`; `conflict` where it is running, in whichever process
     */
    async runNow(id: number): Promise<Outcome> {
      const source = await selectSource(db, id);
      if (source === undefined) throw notFound("source", id);
      const claimed = isFree(source) ? await claim(source) : null;
      if (claimed === null) throw new AppError("conflict", message("sourceRuns", source));
      return claimed.running;
    },

    /** Every few seconds: starts what is due, and says that what runs goes on. Never throws. */
    async look(): Promise<void> {
      try {
        await beat();
        const nowMs = clock.now();
        const due = (await selectSources(db)).filter(
          (source) => isFree(source) && (wasCutShort(source) || isDue(source, nowMs)),
        );
        for (const source of due) {
          if (stopping.signal.aborted || underWay.size >= AT_ONCE_MAX) return;
          await claim(source);
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

    /** Settles when the runs under way have ended. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled(underWay.values());
    },

    /** Ends what is under way: what was read so far is imported, and it is run again. */
    async stop(): Promise<void> {
      stopping.abort();
      surroundings.stopImports();
      await this.settled();
    },
  };
}
