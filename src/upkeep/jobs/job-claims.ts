import { hasFollowed, noteFollowed } from "../../catalog/imports/writing/import-summary.ts";
import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import { transaction } from "../../db/transaction.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import {
  addJob,
  type Start,
  startCutOffJob,
  startDueJob,
  startJob,
  updateEnd,
} from "./jobs.store.ts";

/** A job's due time, which one process may claim. */
export interface JobClaim {
  name: string;
  dueAt: number;
  /** Whether it also runs soon after imports. */
  followsImports?: boolean | undefined;
}

export interface JobEnd extends JobClaim {
  /** Null if it succeeded. */
  failure: string | null;
}

/** A run that has not ended after this long has crashed; the longest takes a few minutes. */
const LEASE_MS = 60 * 60 * 1000;
/**
 * Times further ahead than this were recorded by a wrong clock and are ignored, or the job would not run
 * until then. Setting the clock back by less does not repeat anything.
 */
const AHEAD_MAX_MS = 2 * DAY_MS;

/**
 * Claims a due time for the calling process. False if it or a later one is already taken, if the job is
 * running, or if the job is new: a new database has nothing to catch up on. A due time runs at most once,
 * unless its run never ended: jobs can be repeated, and a half-closed day must be closed.
 */
export const claimJob = transaction("job-claim", async (tx, clock, claim: JobClaim) => {
  const start = startAt(clock.now(), claim);
  const isTaken = !(await addJob(tx, start)) && (await startDueJob(tx, start));
  if (isTaken && claim.followsImports === true) noteFollowed(tx, claim.name);
  return isTaken;
});

/**
 * Claims a job outside its due times, on somebody's request, which is recorded in the audit log. The due
 * time whose work it does counts as run.
 * @returns the due time to record its end under; null if it is running, in any process
 */
export const claimJobNow = transaction(
  "job-claim",
  async (tx, clock, claim: JobClaim, by: Actor) => {
    const start = startAt(clock.now(), claim);
    await addJob(tx, start);
    const dueAt = await startJob(tx, start);
    if (dueAt === null) return null;
    if (claim.followsImports === true) noteFollowed(tx, claim.name);
    await recordChange(tx, clock, by, { action: "job.run", id: claim.name });
    return dueAt;
  },
);

/**
 * Claims a job that computes from imported rows, if its last run began before the latest import or was cut
 * off. The previous due time counts as run.
 * @returns the due time under which its end is recorded; null if nothing was imported since, or if it is
 * already running in any process
 */
export const claimJobAfterImport = transaction("job-claim", async (tx, clock, claim: JobClaim) => {
  const start = startAt(clock.now(), claim);
  await addJob(tx, start);
  const dueAt = await (hasFollowed(tx, claim.name) ? startCutOffJob : startJob)(tx, start);
  if (dueAt === null) return null;
  noteFollowed(tx, claim.name);
  return dueAt;
});

/** Records the outcome of a claimed run. */
export const endJob = transaction("job-end", (tx, clock, end: JobEnd) =>
  updateEnd(tx, { ...end, now: clock.now() }),
);

function startAt(now: number, { name, dueAt }: JobClaim): Start {
  return { name, dueAt, now, crashedAt: now - LEASE_MS, aheadAt: now + AHEAD_MAX_MS };
}
