import { createSharedColumns } from "../catalog/search/columns/read-columns.store.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { IN_MEMORY, openDatabase } from "../db/open-database.ts";
import type { Lane, LaneCalls } from "../db/operations.ts";
import type { ThreadLoad, ThreadsOptions } from "../db/threads/threads.ts";
import { inlineThreads, startThreads } from "../db/threads/threads.ts";
import type { Clock } from "../ports/clock.ts";
import { nodeSettings } from "./node-copy.ts";
import { lanes } from "./operations.ts";

/** Every operation as a function, grouped by lane: `threads.push.cutPart(…)`. */
export type DatabaseThreads = {
  [Name in keyof typeof lanes]: LaneCalls<(typeof lanes)[Name]["operations"]>;
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
 * Starts the lanes of threads; on an in-memory database all operations run on its one connection.
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
    path,
    entry,
    clock,
    ...listeners,
    timeoutMs: config.queryTimeoutMs,
    node: nodeSettings(config),
    memory: path === IN_MEMORY ? () => null : createSharedColumns(db),
  };
  const threads = Math.max(READERS_MIN, Math.ceil(lanes.read.threads / workers));
  const shared = { ...lanes, read: { ...lanes.read, threads } };
  const started = Object.entries<Lane>(shared).map(([name, lane]) => {
    const threads =
      path === IN_MEMORY
        ? inlineThreads(lane, db, clock)
        : startThreads(lane, { name, ...options });
    return { name, ...threads };
  });
  return {
    threads: Object.fromEntries(
      started.map(({ name, calls }) => [name, calls]),
    ) as unknown as DatabaseThreads,

    threadLoads: (): Record<string, ThreadLoad> =>
      Object.fromEntries(started.map(({ name, load }) => [name, load()])),

    /** Ends threads that nobody has needed since the last call. */
    restThreads(): void {
      for (const lane of started) lane.rest();
    },

    async endThreads(): Promise<void> {
      await Promise.all(started.map((lane) => lane.close()));
    },
  };
}
