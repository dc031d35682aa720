import { nextDue } from "../../values/cron-times.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import type { Job } from "./job-run.ts";
import type { JobRun } from "./jobs.table.ts";
import { BACKUP_JOB } from "./jobs.ts";
import type { Scheduler } from "./scheduler.ts";

/** A job as staff see it: when it runs next, and how its last run went. */
export interface JobState {
  name: string;
  pattern: string;
  nextDueAt: number | null;
  startedAt: number | null;
  /** Null while it is running, and if it has never run. */
  finishedAt: number | null;
  failure: string | null;
}

/** @param runs each job's last run, by name */
export function jobStates(
  jobs: readonly Job[],
  runs: ReadonlyMap<string, JobRun>,
  nowMs: number,
): JobState[] {
  return jobs.map(({ name, pattern }) => {
    const run = runs.get(name);
    return {
      name,
      pattern,
      nextDueAt: nextDue(pattern, nowMs),
      startedAt: run?.startedAt ?? null,
      finishedAt: run?.startedAt ? run.finishedAt : null,
      failure: run?.failure ?? null,
    };
  });
}

/**
 * Warning shown in `/readyz` if the last daily backup failed; null otherwise, and if the database does not
 * respond, which is reported separately.
 */
export async function backupWarning(jobs: Pick<Scheduler, "list">): Promise<string | null> {
  const states = await jobs.list().catch(() => []);
  const job = states.find(({ name }) => name === BACKUP_JOB);
  if (job === undefined || job.failure === null || job.startedAt === null) return null;
  return `The backup of ${formatInstant(job.startedAt)} failed; the log says why.`;
}
