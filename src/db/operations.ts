import { storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Database } from "./database.ts";
import { withQueryDeadline } from "./deadline.ts";
import { onLockHeld } from "./lock.ts";
import { type Access, openDatabase } from "./open-database.ts";
import { inReadTransaction } from "./read-transaction.ts";
import { type FromThread, type Opening, type ToThread, toFault } from "./threads/thread-pool.ts";

/** How operations run. */
export interface Rule {
  /** The connection that a thread runs them on. It opens one for each access that it meets. */
  access: Access;
  /**
   * Deadline of each task: `query` for that of queries, which includes waiting for a thread and which their
   * statements observe, or milliseconds after which a task's thread is left behind and replaced, which may
   * depend on its argument.
   */
  deadline: "query" | number | ((argument: never) => number);
  /**
   * What happens to the work of an organization without time left. It is refused before it has begun, and
   * finishes once it has. Where further tasks follow for as long as a client reads, `paced`, these pause to
   * leave time for everything else. The appliance's own work, `never`, is not held up, whoever caused it.
   */
  refuses?: "paced" | "never";
  /**
   * Most tasks of this rule at once, so that they leave threads to others of their lane. Without it, a
   * task waits only for its tenant's others.
   */
  atOnce?: number;
}

/**
 * A function that runs on a connection of its thread. Arguments after the clock, and the result, are plain
 * data.
 */
// biome-ignore lint/suspicious/noExplicitAny: each operation states its own arguments and result
export type Run = (db: Database, clock: Clock, ...rest: any[]) => unknown;

/** Functions with the rule they run by, under the names they are called by. */
export type Operations = Record<string, { run: Run; rule: Rule }>;

/** Threads that share their operations, each with one task at a time. */
export interface Lane<Ops extends Operations = Operations> {
  /** Most threads that it starts. */
  threads: number;
  operations: Ops;
}

export function ruled<Runs extends Record<string, Run>>(
  rule: Rule,
  runs: Runs,
): { [Name in keyof Runs]: { run: Runs[Name]; rule: Rule } } {
  const operations = Object.entries(runs).map(([name, run]) => [name, { run, rule }]);
  return Object.fromEntries(operations);
}

/** Operations as callers see them: without the connection and the clock, which the thread supplies. */
export type Calls<Runs extends Record<string, Run>> = {
  [Name in keyof Runs]: Runs[Name] extends (
    db: Database,
    clock: Clock,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Promise<Awaited<Result>>
    : never;
};

export type LaneCalls<Ops extends Operations> = Calls<{ [Name in keyof Ops]: Ops[Name]["run"] }>;

/** Creates a function for each operation, which passes its name and arguments to `call`. */
export function callsOf<Ops extends Operations>(
  operations: Ops,
  call: (name: string, rest: unknown[]) => Promise<unknown>,
): LaneCalls<Ops> {
  const calls = Object.keys(operations).map(
    (name) => [name, (...rest: unknown[]) => call(name, rest)] as const,
  );
  return Object.fromEntries(calls) as LaneCalls<Ops>;
}

/**
 * Runs in each thread: executes every task on a connection to the file that the first message names.
 * @param prepare called for every connection before its first task
 */
export function serveOperations(
  lanes: Record<string, Lane>,
  clock: Clock,
  prepare: (db: Database, access: Access, opening: Opening) => void,
): void {
  let opening: Opening | null = null;
  const connections = new Map<Access, Database>();
  const scope = globalThis as unknown as Worker;
  const answer = (message: FromThread): void => scope.postMessage(message);

  /** Opened by the first task that finds the file usable; tasks before it are refused. */
  function connectionFor(access: Access, opening: Opening): Database {
    const opened = connections.get(access);
    if (opened !== undefined) return opened;
    const db = openForCallers(opening.path, clock, access);
    connections.set(access, db);
    prepare(db, access, opening);
    onLockHeld(db, (work, heldMs) => answer({ held: { work, heldMs } }));
    db.onSlow((sql, tookMs) => answer({ slow: { sql, tookMs } }));
    return db;
  }

  scope.onmessage = async ({ data }: MessageEvent<ToThread>) => {
    if ("open" in data) {
      opening = data.open;
      return;
    }
    if ("end" in data) {
      for (const db of connections.values()) db.close();
      process.exit();
    }
    const { name, rest, timeoutMs } = data;
    const startedMs = clock.processor();
    const processorMs = (): number => clock.processor() - startedMs;
    try {
      const operation = opening === null ? undefined : lanes[opening.lane]?.operations[name];
      if (operation === undefined || opening === null) throw new Error(`no operation ${name}`);
      const db = connectionFor(operation.rule.access, opening);
      const work = (): unknown => operation.run(db, clock, ...rest);
      const result =
        timeoutMs === null
          ? await work()
          : withQueryDeadline(db, clock.monotonic() + timeoutMs, () => inReadTransaction(db, work));
      answer({ result, processorMs: processorMs() });
    } catch (error) {
      answer({ fault: toFault(error), processorMs: processorMs() });
    }
  };
}

/** @throws AppError `unavailable`, whose cause is for the log only: callers must not see a path */
function openForCallers(path: string, clock: Clock, access: Access): Database {
  try {
    return openDatabase(path, clock, access);
  } catch (error) {
    throw storageUnavailable(error);
  }
}
