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
import type { BatchRun } from "./apply-batch.ts";
import { BOT_MESSENGERS } from "./bots.ts";
import { failed, type Outcome } from "./outcome.ts";
import { type BotSecret, createPushes } from "./pushes.ts";
import { type RunTools, runSource } from "./run-source.ts";
import { readSourceAddress, type SourceAddress } from "./source-address.ts";
import type { SourceChanges } from "./source-changes.ts";
import { hasUnread, selectChats } from "./source-chats.store.ts";
import { isDue, isSilent } from "./source-schedule.ts";
import {
  selectDoneFiles,
  selectRowsByDay,
  selectSource,
  selectSourceNamed,
  selectSources,
} from "./sources.store.ts";
import {
  type BotKind,
  type FileSettings,
  isBot,
  type Source,
  type SourceChat,
} from "./sources.table.ts";

export type Sources = ReturnType<typeof createSources>;

/** A source of files to be added. */
export interface NewSettings {
  name: string;
  settings: FileSettings;
  headers: Record<string, string>;
  schedule: string;
}

/** A bot to be added. */
export interface NewBot {
  kind: BotKind;
  token: string;
  /** Empty: as the bot is called. */
  name: string;
  /** Address of the API; empty: the messenger's own. */
  api: string;
  /** Empty: the messenger's usual one. */
  schedule: string;
}

/** Sources that one process runs at once. Bots wait most of the time, so they do not hold up files. */
const AT_ONCE_MAX = { files: 4, bots: 32 };
const HEARTBEAT_MS = 10_000;
/** Six heartbeats. */
const SILENT_MS = 60_000;

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

const PUSH_SECRET_BYTES = 32;

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
  surroundings: Pick<RunTools, "download" | "ask" | "files"> & {
    /** Whether an address may be asked, as far as that can be told without a name server. */
    allows(address: SourceAddress): Promise<boolean>;
    /** Seals and opens the headers of pulls and the tokens of bots. */
    secrets(): Promise<SecretBox>;
    /** Base of the addresses that messengers push to; null where there is none that they take. */
    pushBase: string | null;
    storedPosts: RunTools["storedPosts"];
    isHandleTaken: RunTools["isHandleTaken"];
    /** @param signal breaks the import off */
    importFile(
      file: Parameters<RunTools["importFile"]>[0],
      signal: AbortSignal,
    ): ReturnType<RunTools["importFile"]>;
    applyBatch(
      run: Pick<BatchRun, "id" | "owner" | "batch" | "position">,
    ): ReturnType<RunTools["apply"]>;
  },
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
) {
  const owner = processName(random.uuid(clock.now()));
  const underWay = new Map<number, RunUnderWay>();
  const stopping = new AbortController();
  /** The last heartbeat of each source of another process, and when this process first saw it. */
  const heartbeats = new Map<number, { at: number | null; sinceMs: number }>();
  let nextHeartbeatMs = 0;
  const pushes = createPushes(db, changes, {
    ...{ base: surroundings.pushBase, secrets: surroundings.secrets },
    write: (id, batch) => surroundings.applyBatch({ id, owner: null, batch, position: null }),
  });

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
        importFile: (file) => surroundings.importFile(file, signal),
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

  function isFull(source: Source): boolean {
    const isBotsRun = isBot(source.settings);
    const running = [...underWay.values()].filter((one) => one.isBot === isBotsRun).length;
    return running >= (isBotsRun ? AT_ONCE_MAX.bots : AT_ONCE_MAX.files);
  }

  /** @throws AppError `invalid` on `url` or `api` */
  async function requireAllowed(field: "url" | "api", address: string): Promise<void> {
    const read = readSourceAddress(address);
    if ("fault" in read) throw fieldError({ [field]: [read.fault] });
    if (await surroundings.allows(read.value)) return;
    const { host } = read.value.target;
    throw fieldError({ [field]: [message("sourceRefused", { host })] });
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
      if (settings.kind === "pull") await requireAllowed("url", settings.url);
      const hasHeaders = Object.keys(headers).length > 0;
      const box = hasHeaders ? await surroundings.secrets() : null;
      const secret = box === null ? null : box.seal(JSON.stringify(headers));
      return changes.addSource({ name, kind: settings.kind, settings, secret, schedule }, by);
    },

    /**
     * Asks the messenger whose token it is, and adds the bot.
     * @throws AppError `invalid` by field
     */
    async addBot({ kind, name, ...given }: NewBot, by: Actor): Promise<Source> {
      const messenger = BOT_MESSENGERS[kind];
      const token = given.token.trim();
      if (token === "") throw fieldError({ token: [message("botTokenMissing")] });
      if (!messenger.token.test(token)) {
        const example = messenger.tokenExample;
        throw fieldError({ token: [message("botTokenShape", { example })] });
      }
      const api = given.api.trim().replace(/\/+$/, "") || messenger.api;
      await requireAllowed("api", api);
      const found = await messenger.nameOf({ kind, api, token }, surroundings.ask, stopping.signal);
      if ("failure" in found) throw fieldError({ token: [found.failure] });
      const settings = { kind, api, bot: found.bot };
      for (const other of await selectSources(db)) {
        const taken = isBot(other.settings) && other.settings.bot === settings.bot;
        if (taken && other.kind === kind) throw fieldError({ token: [message("botTaken", other)] });
      }
      const pushSecret = Buffer.from(random.bytes(PUSH_SECRET_BYTES)).toString("hex");
      const opened: BotSecret = kind === "max" ? { token, pushSecret } : { token };
      const secret = (await surroundings.secrets()).seal(JSON.stringify(opened));
      const schedule = given.schedule.trim() || messenger.schedule;
      return changes.addSource(
        {
          ...{ name: name.trim() || settings.bot, kind, settings, secret, schedule },
          ...{ position: found.position, chats: found.chats },
        },
        by,
      );
    },

    /** @throws AppError `not_found` */
    async removeSource(id: number, by: Actor): Promise<Source> {
      const removed = await changes.removeSource(id, by);
      const { settings, secret, position } = removed;
      const opened = secret === null ? null : (await surroundings.secrets()).open(secret);
      if (!isBot(settings) || opened === null) return removed;
      const access = { ...settings, ...(JSON.parse(opened) as BotSecret) };
      // It may be out of reach; it ends by itself what finds nobody here.
      const messenger = BOT_MESSENGERS[settings.kind];
      await messenger.leave?.(access, position, surroundings.ask, stopping.signal);
      return removed;
    },

    setPushes: pushes.set,
    openPush: pushes.open,

    list: (): Promise<Source[]> => selectSources(db),

    /** Channels that a bot was added to, those that it was removed from included. */
    chats: (id: number): Promise<SourceChat[]> => selectChats(db, id),

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

    /** Settles when the runs under way have ended. */
    async settled(): Promise<void> {
      while (underWay.size > 0) {
        await Promise.allSettled([...underWay.values()].map(({ running }) => running));
      }
    },

    /** Ends what is under way: what was read so far is imported, and it is run again. */
    async stop(): Promise<void> {
      stopping.abort();
      await this.settled();
    },
  };
}
