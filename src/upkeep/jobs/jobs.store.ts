import { and, eq, gt, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { change, query } from "../../db/statement.ts";

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

export const selectJobRuns = query((db) => db.select().from(jobs)).all;

/** Adds a job that has never run. @returns false if it was known before */
export const addJob = change(
  (db, { name, dueAt, now }: { name: string; dueAt: number; now: number }) =>
    db.insert(jobs).values({ name, dueAt, finishedAt: now }).onConflictDoNothing(),
).wrote;

/** A run about to start. */
export interface Start {
  name: string;
  dueAt: number;
  now: number;
  /** A run started by this instant that has not ended has crashed. */
  crashedAt: number;
  /** Later instants were recorded by a wrong clock. */
  aheadAt: number;
}

/** Nobody is running the job: its last run has ended or crashed. */
const isFree = ({ crashedAt, aheadAt }: Start) =>
  or(isNotNull(jobs.finishedAt), lte(jobs.startedAt, crashedAt), gt(jobs.startedAt, aheadAt));

/** Its last run was due earlier, never ended, or was recorded by a wrong clock. */
const isNewlyDue = ({ dueAt, aheadAt }: Start) =>
  or(
    lt(jobs.dueAt, dueAt),
    gt(jobs.dueAt, aheadAt),
    and(eq(jobs.dueAt, dueAt), isNull(jobs.finishedAt)),
  );

/** Starts a job, if nobody is running it and the condition holds. */
function starting(condition: (start: Start) => SQL | undefined) {
  return change((db, start: Start) => {
    const { name, dueAt, now, aheadAt } = start;
    return db
      .update(jobs)
      .set({
        dueAt: sql`iif(${jobs.dueAt} > ${aheadAt}, ${dueAt}, max(${jobs.dueAt}, ${dueAt}))`,
        startedAt: now,
        finishedAt: null,
        failure: null,
      })
      .where(and(eq(jobs.name, name), isFree(start), condition(start)))
      .returning({ dueAt: jobs.dueAt });
  });
}

/** @returns false if this due time or a later one is taken, or the job is running */
export const startDueJob = starting(isNewlyDue).any;

/**
 * Starts a job whose last run was cut off. @returns the recorded due time; null if that run ended or goes
 * on
 */
export const startCutOffJob = starting(() => isNull(jobs.finishedAt)).value;

/** Starts a job at any time. @returns the recorded due time; null if the job is running */
export const startJob = starting(() => undefined).value;

interface End {
  name: string;
  dueAt: number;
  now: number;
  /** Null if it succeeded. */
  failure: string | null;
}

export const updateEnd = change((db, { name, dueAt, now, failure }: End) =>
  db
    .update(jobs)
    .set({ finishedAt: now, failure })
    .where(and(eq(jobs.name, name), eq(jobs.dueAt, dueAt))),
).run;
