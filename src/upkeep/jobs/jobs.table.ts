import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The last run of each job, or one under way. */
export const jobs = sqliteTable("jobs", {
  name: text("name").primaryKey(),
  dueAt: integer("due_at").notNull(),
  /** Null where the job was seen, but never ran. */
  startedAt: integer("started_at"),
  /** Null while it is under way. */
  finishedAt: integer("finished_at"),
  /** Null where it succeeded. */
  failure: text("failure"),
});

export type JobRun = typeof jobs.$inferSelect;
