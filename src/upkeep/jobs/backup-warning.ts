import { formatInstant } from "../../values/moscow-time.ts";
import { BACKUP_JOB } from "./jobs.ts";
import type { Scheduler } from "./scheduler.ts";

/**
 * The warning that everybody gets while the last daily backup failed; null where it did not, and
 * where the database does not answer, which is told by itself.
 */
export async function backupWarning(jobs: Pick<Scheduler, "list">): Promise<string | null> {
  const states = await jobs.list().catch(() => []);
  const job = states.find(({ name }) => name === BACKUP_JOB);
  if (job === undefined || job.failure === null || job.startedAt === null) return null;
  return `The backup of ${formatInstant(job.startedAt)} failed; the log says why.`;
}
