import { and, eq, gt, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { change, eqParam, param, query } from "../../db/query.ts";
import { type JobRun, jobs } from "./jobs.table.ts";

const allRuns = query((db) => db.select().from(jobs));

export function selectJobRuns(db: Database): Promise<JobRun[]> {
  return allRuns(db).all();
}

const add = change((db) =>
  db
    .insert(jobs)
    .values({
      name: param("name"),
      dueAt: param("dueAt"),
      finishedAt: param("now"),
    })
    .onConflictDoNothing(),
);

/** Adds a job that has never run. @returns false if it was known before */
export async function addJob(
  tx: Transaction,
  job: { name: string; dueAt: number; now: number },
): Promise<boolean> {
  return (await add(tx).run(job)).changes > 0;
}

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

const dueAt = param<number>("dueAt");
const aheadAt = param<number>("aheadAt");

/** Nobody is running the job: its last run has ended or crashed. */
const isFree = or(
  isNotNull(jobs.finishedAt),
  lte(jobs.startedAt, param("crashedAt")),
  gt(jobs.startedAt, aheadAt),
);

/** Its last run was due earlier, never ended, or was recorded by a wrong clock. */
const isNewlyDue = or(
  lt(jobs.dueAt, dueAt),
  gt(jobs.dueAt, aheadAt),
  and(eq(jobs.dueAt, dueAt), isNull(jobs.finishedAt)),
);

function starting(condition?: SQL) {
  return change((db) =>
    db
      .update(jobs)
      .set({
        dueAt: sql`iif(${jobs.dueAt} > ${aheadAt}, ${dueAt}, max(${jobs.dueAt}, ${dueAt}))`,
        startedAt: param("now"),
        finishedAt: null,
        failure: null,
      })
      .where(and(eqParam(jobs.name, "name"), isFree, condition))
      .returning({ dueAt: jobs.dueAt }),
  );
}

const startDue = starting(isNewlyDue);
const startCutOff = starting(isNull(jobs.finishedAt));
const startAnyTime = starting();

/** @returns false if this due time or a later one is taken, or the job is running */
export async function startDueJob(tx: Transaction, start: Start): Promise<boolean> {
  return (await startDue(tx).get({ ...start })) !== undefined;
}

/**
 * Starts a job whose last run was cut off. @returns the recorded due time; undefined if that run ended or
 * goes on
 */
export async function startCutOffJob(tx: Transaction, start: Start): Promise<number | undefined> {
  return (await startCutOff(tx).get({ ...start }))?.dueAt;
}

/** Starts a job at any time. @returns the recorded due time; undefined if the job is running */
export async function startJob(tx: Transaction, start: Start): Promise<number | undefined> {
  return (await startAnyTime(tx).get({ ...start }))?.dueAt;
}

const noteEnd = change((db) =>
  db
    .update(jobs)
    .set({ finishedAt: param("now"), failure: param("failure") })
    .where(and(eqParam(jobs.name, "name"), eq(jobs.dueAt, dueAt))),
);

/** @param end.failure null if it succeeded */
export async function updateEnd(
  tx: Transaction,
  end: { name: string; dueAt: number; now: number; failure: string | null },
): Promise<void> {
  await noteEnd(tx).run(end);
}
