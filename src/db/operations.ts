import type { Clock } from "../ports/clock.ts";
import type { Database } from "./database.ts";
import type { Access } from "./open-database.ts";

/**
 * Functions that run on a connection of their own, by name. Arguments after the clock, and the result, are
 * plain data.
 */
// biome-ignore lint/suspicious/noExplicitAny: each operation states its own arguments and result
export type Operations = Record<string, (db: Database, clock: Clock, ...rest: any[]) => unknown>;

/** Threads that run the same operations, each on its own connection. */
export interface Pool<Ops extends Operations = Operations> {
  access: Access;
  /** Most threads that it starts. */
  threads: number;
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
  operations: Ops;
}

/** Operations as callers see them: without the connection and the clock, which the thread supplies. */
export type Calls<Ops extends Operations> = {
  [Name in keyof Ops]: Ops[Name] extends (
    db: Database,
    clock: Clock,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Promise<Awaited<Result>>
    : never;
};

/** Creates a function for each operation, which passes its name and arguments to `run`. */
export function callsOf<Ops extends Operations>(
  operations: Ops,
  run: (name: string, rest: unknown[]) => Promise<unknown>,
): Calls<Ops> {
  const calls = Object.keys(operations).map(
    (name) => [name, (...rest: unknown[]) => run(name, rest)] as const,
  );
  return Object.fromEntries(calls) as Calls<Ops>;
}
