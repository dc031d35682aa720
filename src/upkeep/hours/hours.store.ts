import { asc, gte, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Durations } from "./hours.ts";

/** The appliance's activity, hour by hour. */
export const hours = sqliteTable("hours", {
  /** Start of the hour. */
  startedAt: integer("started_at").primaryKey(),
  requests: integer("requests").notNull(),
  /** Requests answered with status 500 or above. */
  errors: integer("errors").notNull(),
  durationUs: integer("duration_us").notNull(),
  slowestUs: integer("slowest_us").notNull(),
  /** Size of the database file when the hour was last written. */
  fileBytes: integer("file_bytes").notNull(),
});

/** Histogram of an hour's request durations. */
export const hourDurations = sqliteTable(
  "hour_durations",
  {
    startedAt: integer("started_at").notNull(),
    class: integer("class").notNull(),
    requests: integer("requests").notNull(),
  },
  ({ startedAt, class: classOf }) => [primaryKey({ columns: [startedAt, classOf] })],
);

export type Hour = typeof hours.$inferSelect & { durations: Durations };

/** An hour's requests that have not been written yet. */
export type NotedHour = Omit<Hour, "fileBytes">;

const add = change((db, hour: typeof hours.$inferInsert) => {
  const { startedAt, requests, errors, durationUs, slowestUs, fileBytes } = hour;
  return db
    .insert(hours)
    .values({ startedAt, requests, errors, durationUs, slowestUs, fileBytes })
    .onConflictDoUpdate({
      target: hours.startedAt,
      set: {
        requests: sql`${hours.requests} + excluded.requests`,
        errors: sql`${hours.errors} + excluded.errors`,
        durationUs: sql`${hours.durationUs} + excluded.duration_us`,
        slowestUs: sql`max(${hours.slowestUs}, excluded.slowest_us)`,
        fileBytes: sql`excluded.file_bytes`,
      },
    });
}).run;

const addDuration = change((db, duration: typeof hourDurations.$inferInsert) => {
  const { startedAt, class: at, requests } = duration;
  return db
    .insert(hourDurations)
    .values({ startedAt, class: at, requests })
    .onConflictDoUpdate({
      target: [hourDurations.startedAt, hourDurations.class],
      set: { requests: sql`${hourDurations.requests} + excluded.requests` },
    });
}).run;

/** Adds requests to an hour, and records the file's size. */
export function writeHour(db: Database, clock: Clock, noted: NotedHour): Promise<void> {
  const fileBytes = Number(db.pragmaValue("page_count")) * Number(db.pragmaValue("page_size"));
  return inTransaction(db, clock, "hour", async (tx) => {
    const { durations, ...hour } = noted;
    await add(tx, { ...hour, fileBytes });
    for (const [at, requests] of durations) {
      await addDuration(tx, { startedAt: hour.startedAt, class: at, requests });
    }
  });
}

const hoursSince = query((db, { since }: { since: number }) =>
  db.select().from(hours).where(gte(hours.startedAt, since)).orderBy(asc(hours.startedAt)),
).all;

const durationsSince = query((db, { since }: { since: number }) =>
  db.select().from(hourDurations).where(gte(hourDurations.startedAt, since)),
).all;

export async function selectHours(db: Database, sinceMs: number): Promise<Hour[]> {
  const durations = Map.groupBy(
    await durationsSince(db, { since: sinceMs }),
    ({ startedAt }) => startedAt,
  );
  return (await hoursSince(db, { since: sinceMs })).map((hour) => ({
    ...hour,
    durations: new Map(
      durations.get(hour.startedAt)?.map(({ class: at, requests }) => [at, requests]),
    ),
  }));
}
