import { formatInstant } from "../../values/moscow-time.ts";
import { BACKUP_JOB } from "./jobs.ts";
import type { JobState, Scheduler } from "./scheduler.ts";

/**
 * The warning that everybody gets while the last daily backup failed; null where it did not, and
 * where the database does not answer, which is told by itself.
 */
export async function backupWarning(jobs: Pick<Scheduler, "list">): Promise<string | null> {
  const job = await backupJob(jobs);
  if (job === undefined || job.failure === null || job.startedAt === null) return null;
  return `The backup of ${formatInstant(job.startedAt)} failed; the log says why.`;
}

async function backupJob(jobs: Pick<Scheduler, "list">): Promise<JobState | undefined> {
  try {
    return (await jobs.list()).find(({ name }) => name === BACKUP_JOB);
  } catch {
    return undefined;
  }
}
