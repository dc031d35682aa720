import type { Database } from "../../src/db/database.ts";
import { ruled } from "../../src/db/operations.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** Deadline of each of its tasks. */
export const DEADLINE_MS = 60_000;

const born = crypto.randomUUID();

/** Operations of a database thread that can fail while it is idle. */
export const failing = {
  threads: 1,
  operations: ruled(
    { access: "writer", deadline: DEADLINE_MS },
    {
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
  ),
};
