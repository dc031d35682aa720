import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Each job's last run, or the one in progress. */
export const jobs = sqliteTable("jobs", {
  name: text("name").primaryKey(),
  dueAt: integer("due_at").notNull(),
  /** Null if the job is known but has never run. */
  startedAt: integer("started_at"),
  /** Null while it is running. */
  finishedAt: integer("finished_at"),
  /** Null if it succeeded. */
  failure: text("failure"),
});

export type JobRun = typeof jobs.$inferSelect;
