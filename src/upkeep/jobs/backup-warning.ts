import { formatInstant } from "../../values/moscow-time.ts";
import { BACKUP_JOB } from "./jobs.ts";
import type { Scheduler } from "./scheduler.ts";

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
