import type { Database } from "../../src/db/database.ts";
import type { Pool } from "../../src/db/operations.ts";
import type { Clock } from "../../src/ports/clock.ts";

const born = crypto.randomUUID();

/** A database thread that can be told to fail when it has nothing to do. */
export const failing = {
  access: "writer",
  threads: 1,
  hasDeadline: false,
  operations: {
    /** Another name in each thread. */
    born: (_db: Database, _clock: Clock): string => born,
    refuse: (db: Database, _clock: Clock, name: string): unknown =>
      db.prepare("SELECT * FROM nowhere WHERE name = ?").get(name),
    echo: (db: Database, _clock: Clock, value: string): unknown =>
      db.prepare<{ value: unknown }>("SELECT ? AS value").get(value)?.value,
    failSoon: (_db: Database, _clock: Clock): void => {
      setTimeout(() => {
        throw new Error("nobody asked for this");
      }, 0);
    },
  },
} satisfies Pool;
