import type { Database } from "../../src/db/database.ts";
import { ruled } from "../../src/db/operations.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** States of a task, in memory that it shares with the test. */
export const BEGUN = 1;
export const ENDED = 2;

function wait(_db: Database, _clock: Clock, state: Int32Array<SharedArrayBuffer>): void {
  Atomics.store(state, 0, BEGUN);
  Atomics.wait(state, 0, BEGUN);
}

const long = { access: "reader", deadline: 60_000, atOnce: 1 } as const;

/** An operation that keeps its thread until a test ends it, as a query, a change and long work. */
export const waiting = {
  threads: 4,
  operations: {
    ...ruled({ access: "reader", deadline: "query" }, { wait }),
    ...ruled({ access: "reader", deadline: 60_000 }, { change: wait }),
    ...ruled({ ...long }, { importFile: wait }),
    ...ruled({ ...long, refuses: "never" }, { runJob: wait }),
  },
};
