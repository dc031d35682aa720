import type { Clock } from "../ports/clock.ts";
import { type Database, statement } from "./database.ts";

/** Runs work; what it reads before it first waits is read at one instant after it was given. */
export type ReadTurns = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Works that lie ready are begun together, in one read transaction: beginning and ending one costs as
 * much as finding a row. It begins when all of them were given, so none reads what is older than
 * its request, and it ends before anything else happens, so none sees less than what was committed.
 */
export function createReadTurns(db: Database, clock: Clock): ReadTurns {
  const begin = statement(db, "BEGIN");
  const commit = statement(db, "COMMIT");
  let ready: (() => void)[] = [];

  function turn(): void {
    const works = ready;
    ready = [];
    // Where the storage fails, each work finds that out, and says it in its own way.
    if (db.$client.open) begin.run();
    for (const work of works) work();
    if (db.$client.inTransaction) commit.run();
  }

  return (work) =>
    new Promise((resolve) => {
      if (ready.length === 0) clock.endOfTurn(turn);
      ready.push(() => resolve(work()));
    });
}

/** For a connection that writes too: each work begins at once. */
export const noReadTurns: ReadTurns = (work) => work();
