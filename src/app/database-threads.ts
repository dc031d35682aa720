import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { IN_MEMORY, openDatabase } from "../db/open-database.ts";
import type { Calls, Pool } from "../db/operations.ts";
import {
  inlineThreads,
  startThreads,
  type ThreadLoad,
  type ThreadsOptions,
} from "../db/threads.ts";
import type { Clock } from "../ports/clock.ts";
import { nodeSettings } from "./node-copy.ts";
import { pools } from "./operations.ts";

/** Every operation as a function, grouped by pool: `threads.push.cutPart(…)`. */
export type DatabaseThreads = {
  [Name in keyof typeof pools]: Calls<(typeof pools)[Name]["operations"]>;
};

/**
 * Opens the serving connection: requests read on it, and their usage is counted on it. A separate one for
 * usage would empty its page cache all the time, because SQLite drops a connection's cache whenever another
 * one commits. An in-memory database has a single connection for everything.
 * @param db the writing connection
 */
export function servingConnection(config: Config, clock: Clock, db: Database): Database {
  return config.databasePath === IN_MEMORY
    ? db
    : openDatabase(config.databasePath, clock, "counter", config.durable);
}

/** Fewest reader threads of a worker: with two, a slow query leaves one free. */
const READERS_MIN = 2;

/**
 * Starts the thread pools; on an in-memory database all operations run on its one connection.
 * @param workers processes serving the file, which divide the reader threads among themselves
 */
export function databaseThreads(
  config: Config,
  clock: Clock,
  db: Database,
  listeners: Pick<ThreadsOptions, "noteHold" | "noteSlow" | "noteRefused">,
  workers: number,
) {
  const path = config.databasePath;
  const entry = new URL("./thread.ts", import.meta.url);
  const options = {
    ...{ path, entry, clock, ...listeners },
    timeoutMs: config.queryTimeoutMs,
    cluster: nodeSettings(config),
  };
  const threads = Math.max(READERS_MIN, Math.ceil(pools.readers.threads / workers));
  const shared = { ...pools, readers: { ...pools.readers, threads } };
  const started = Object.entries<Pool>(shared).map(([name, pool]) => {
    const threads =
      path === IN_MEMORY
        ? inlineThreads(pool, db, clock)
        : startThreads(pool, { name, ...options });
    return { name, ...threads };
  });
  return {
    threads: Object.fromEntries(
      started.map(({ name, calls }) => [name, calls]),
    ) as unknown as DatabaseThreads,

    /** Load of each pool, by name. */
    threadLoads: (): Record<string, ThreadLoad> =>
      Object.fromEntries(started.map(({ name, load }) => [name, load()])),

    /** Ends threads that nobody has needed since the last call. */
    restThreads(): void {
      for (const pool of started) pool.rest();
    },

    async endThreads(): Promise<void> {
      await Promise.all(started.map((pool) => pool.close()));
    },
  };
}
