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

/** Every operation by its pool, as a function: `threads.push.cutPart(…)`. */
export type DatabaseThreads = {
  [Name in keyof typeof pools]: Calls<(typeof pools)[Name]["operations"]>;
};

/**
 * Serving counts on the connection that it reads on: SQLite empties a connection's cache after every
 * commit of another, and units are committed all the time. A database in memory has only the one.
 */
export function servingConnection(config: Config, clock: Clock, db: Database): Database {
  return config.databasePath === IN_MEMORY
    ? db
    : openDatabase(config.databasePath, clock, "counter", config.durable);
}

/** A worker has at least so many for slow queries, so that one of these holds up no other. */
const READERS_MIN = 2;

/**
 * The pools' threads; of a database in memory all operations run on its one connection.
 * @param workers processes that serve the file, which share the threads for slow queries
 */
export function databaseThreads(
  config: Config,
  clock: Clock,
  db: Database,
  listeners: Pick<ThreadsOptions, "noteHold" | "noteSlow">,
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

    /** How busy each pool is, by its name. */
    threadLoads: (): Record<string, ThreadLoad> =>
      Object.fromEntries(started.map(({ name, load }) => [name, load()])),

    async endThreads(): Promise<void> {
      await Promise.all(started.map((pool) => pool.close()));
    },
  };
}
