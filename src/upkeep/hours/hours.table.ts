import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
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
