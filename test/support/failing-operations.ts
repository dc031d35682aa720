import type { Database } from "../../src/db/database.ts";
import type { Pool } from "../../src/db/operations.ts";
import type { Clock } from "../../src/ports/clock.ts";

const born = crypto.randomUUID();

/** Operations of a database thread that can fail while it is idle. */
export const failing = {
  access: "writer",
  threads: 1,
  deadline: 60_000,
  operations: {
    /** A unique name of the thread. */
    born: (_db: Database, _clock: Clock): string => born,
    refuse: (db: Database, _clock: Clock, name: string): unknown =>
      db.prepare("SELECT * FROM nowhere WHERE name = ?").get(name),
    echo: (db: Database, _clock: Clock, value: string): unknown =>
      db.prepare<{ value: unknown }>("SELECT ? AS value").get(value)?.value,
    /** Begins a transaction and never ends it. */
    hang: (db: Database, _clock: Clock): Promise<never> => {
      db.exec("BEGIN IMMEDIATE");
      return new Promise(() => {});
    },
    write: (db: Database, _clock: Clock): void => {
      db.exec("CREATE TABLE IF NOT EXISTS written (id INTEGER)");
    },
    failSoon: (_db: Database, _clock: Clock): void => {
      setTimeout(() => {
        throw new Error("nobody asked for this");
      }, 0);
    },
  },
} satisfies Pool;
