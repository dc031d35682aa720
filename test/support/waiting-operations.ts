import type { Database } from "../../src/db/database.ts";
import type { Pool } from "../../src/db/operations.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** States of a task, in memory that it shares with the test. */
export const BEGUN = 1;
export const ENDED = 2;

/** An operation that keeps its thread until a test ends it. */
export const waiting = {
  access: "reader",
  threads: 4,
  deadline: "query",
  operations: {
    wait(_db: Database, _clock: Clock, state: Int32Array<SharedArrayBuffer>): void {
      Atomics.store(state, 0, BEGUN);
      Atomics.wait(state, 0, BEGUN);
    },
  },
} satisfies Pool;
