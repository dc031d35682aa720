import { formatInstant } from "../moscow-time.ts";
import { BACKUP_JOB } from "./jobs.ts";
import type { JobState } from "./scheduler.ts";

/** What is told to everybody while the last daily backup failed; null where it did not. */
export function backupWarning(jobs: readonly JobState[]): string | null {
  const job = jobs.find(({ name }) => name === BACKUP_JOB);
  if (job === undefined || job.failure === null || job.startedAt === null) return null;
  return `The backup of ${formatInstant(job.startedAt)} failed; the log says why.`;
}
