import type { Database } from "../../src/db/database.ts";
import { serveOperations } from "../../src/db/threads.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";

/** A database thread that can be told to fail when it has nothing to do. */

const born = crypto.randomUUID();

export const failingOperations = {
  born: (_db: Database, _clock: Clock, _argument: null): string => born,
  failSoon: (_db: Database, _clock: Clock, _argument: null): void => {
    setTimeout(() => {
      throw new Error("nobody asked for this");
    }, 0);
  },
};

serveOperations(failingOperations, systemClock);
