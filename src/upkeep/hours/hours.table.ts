import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import type { Durations } from "./durations.ts";

/** How the appliance was doing, hour by hour. */
export const hours = sqliteTable("hours", {
  /** Its first instant. */
  startedAt: integer("started_at").primaryKey(),
  requests: integer("requests").notNull(),
  /** Requests answered with a status of 500 or more. */
  errors: integer("errors").notNull(),
  durationUs: integer("duration_us").notNull(),
  slowestUs: integer("slowest_us").notNull(),
  /** The database file at the hour's last note. */
  fileBytes: integer("file_bytes").notNull(),
});

/** How many of an hour's requests took how long. */
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
