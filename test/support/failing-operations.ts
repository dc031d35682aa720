import type { Database } from "../../src/db/database.ts";
import type { Pool } from "../../src/db/operations.ts";
import type { Clock } from "../../src/ports/clock.ts";

const born = crypto.randomUUID();

/** Operations of a database thread that can fail while it is idle. */
export const failing = {
  access: "writer",
  threads: 1,
  hasDeadline: false,
  operations: {
    /** A unique name of the thread. */
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
