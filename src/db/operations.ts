import type { Clock } from "../ports/clock.ts";
import type { Database } from "./database.ts";
import type { Access } from "./open-database.ts";

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

/** Functions that all run by one rule. */
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

/** The operations of a lane as callers see them. */
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
