import type { Job, JobLedger } from "./job-run.ts";
import type { JobRun } from "./jobs.table.ts";

/** Each job's last run, by name. */
export async function lastRuns({ runs }: Pick<JobLedger, "runs">): Promise<Map<string, JobRun>> {
  return new Map((await runs()).map((run) => [run.name, run]));
}

/** Jobs that have not processed the last import yet, with their last runs. */
export async function jobsDueAfterImport(
  jobs: readonly Job[],
  ledger: JobLedger,
): Promise<{ job: Job; run: JobRun | undefined }[]> {
  const runs = await lastRuns(ledger);
  return jobs.flatMap((job) => {
    const run = runs.get(job.name);
    const isDone = ledger.hasFollowed(job.name) && run?.finishedAt !== null;
    return job.followsImports === true && !isDone ? [{ job, run }] : [];
  });
}

/**
 * Pause after a run that followed imports, as a multiple of its duration, so it uses at most a twentieth of
 * the time.
 */
const PAUSE_IN_DURATIONS = 20;

/** Whether the pause after the job's last run is still going on. */
export function isPausing(run: JobRun | undefined, now: number): boolean {
  if (run?.startedAt == null || run.finishedAt === null || run.startedAt > now) return false;
  return now < run.finishedAt + PAUSE_IN_DURATIONS * (run.finishedAt - run.startedAt);
}
