import type { Clock } from "../ports/clock.ts";
import type { Database } from "./database.ts";
import type { Access } from "./open-database.ts";

/** Work for a connection of its own, by name; what follows the clock, and the result, is plain data. */
// biome-ignore lint/suspicious/noExplicitAny: each operation states its own arguments and result
export type Operations = Record<string, (db: Database, clock: Clock, ...rest: any[]) => unknown>;

/** Threads that run the same operations, each on a connection of its own. */
export interface Pool<Ops extends Operations = Operations> {
  access: Access;
  /** The most threads that it starts. */
  threads: number;
  /** Whether the time that a query may take holds for its tasks, the wait for a thread included. */
  hasDeadline: boolean;
  operations: Ops;
}

/** Operations as their callers see them: connection and clock are the thread's. */
export type Calls<Ops extends Operations> = {
  [Name in keyof Ops]: Ops[Name] extends (
    db: Database,
    clock: Clock,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Promise<Awaited<Result>>
    : never;
};

/** A function for each operation, which hands its name and arguments to `run`. */
export function callsOf<Ops extends Operations>(
  operations: Ops,
  run: (name: string, rest: unknown[]) => Promise<unknown>,
): Calls<Ops> {
  const calls = Object.keys(operations).map(
    (name) => [name, (...rest: unknown[]) => run(name, rest)] as const,
  );
  return Object.fromEntries(calls) as Calls<Ops>;
}
