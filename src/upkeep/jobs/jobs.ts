import { recount, refreshFacets } from "../../catalog/directory/recount.ts";
import { computeMetrics } from "../../catalog/metrics/compute-metrics.ts";
import { optimizePostSearch } from "../../catalog/post-search/catch-up.ts";
import { optimizeSearch } from "../../catalog/search/search-terms.ts";
import { isSilent } from "../../catalog/sources/source-schedule.ts";
import { selectSources, updateSource } from "../../catalog/sources/sources.store.ts";
import { closeDay, followPosts } from "../../catalog/statistics/open-days.ts";
import { makeTrends } from "../../catalog/trends/make-trends.ts";
import { tellOperator } from "../../customers/operator-events/operator-events.store.ts";
import type { Database } from "../../db/database.ts";
import { sharedRowsOf } from "../../db/shared-rows.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { mailStaff, noticeMail } from "../../push/mail/notices.ts";
import { selectOperatorWebhooks } from "../../push/webhooks/manage/webhooks.store.ts";
import { inEnglish, message } from "../../values/messages/messages.ts";
import { dayOf, formatInstant } from "../../values/moscow-time.ts";
import { type BackupPlan, backUpDaily } from "../backups/backup-files.ts";
import type { KeptMonths } from "../retention/old-months.ts";
import { giveBack, letGoOldParts, removeOldMonths } from "../retention/old-months.ts";
import { retain } from "../retention/retain.ts";

/** Settings for jobs. Plain data, because they are sent to a thread. */
interface JobSettings {
  /** Null if no backup folder is configured. */
  backups: BackupPlan | null;
  /** Number of latest Moscow days whose statistics still follow their posts. */
  openDays: number;
  keptMonths: KeptMonths;
  /** Whether the appliance is a node of a cluster. */
  isNode: boolean;
}

interface ScheduledJob {
  name: string;
  /** Cron pattern in Moscow time. */
  pattern: string;
  /** Runs on every node of a cluster, for data that each derives for itself; otherwise on one for all. */
  isOfNode?: true;
  /** Also runs soon after imports of statistics and posts. */
  followsImports?: true;
  run(db: Database, clock: Clock, dueAt: number): Promise<unknown>;
}

export const BACKUP_JOB = "backup";

export function scheduledJobs({
  backups,
  openDays,
  keptMonths,
  isNode,
}: JobSettings): ScheduledJob[] {
  return [
    {
      name: "close-day",
      pattern: "10 0 * * *",
      run: (db, clock, dueAt) => closeDay(db, clock, dayOf(dueAt) - 1),
    },
    {
      name: "open-days",
      pattern: "20 * * * *",
      run: (db, clock) => followPosts(db, clock, openDays),
    },
    {
      name: "metrics",
      pattern: "50 0 * * *",
      isOfNode: true,
      followsImports: true,
      run: computeMetrics,
    },
    ...(keptMonths.posts === null && keptMonths.statistics === null
      ? []
      : [
          {
            name: "old-months",
            pattern: "30 1 * * *",
            run: async (db: Database, clock: Clock) => {
              await letGoOldParts(db, clock, keptMonths);
              return removeOldMonths(db, clock, keptMonths);
            },
          },
        ]),
    { name: "give-back", pattern: "30 2 * * *", isOfNode: true, run: giveBack },
    { name: "recount", pattern: "0 3 * * *", run: recount },
    {
      name: "optimize-search",
      pattern: "30 3 * * *",
      isOfNode: true,
      run: async (db, clock) => {
        await refreshFacets(db, clock);
        await optimizeSearch(db, clock);
        await optimizePostSearch(db, clock);
      },
    },
    // Hourly, because some callers can fill a table quickly: what they add between two runs is bounded by
    // what they may do in an hour.
    { name: "trends", pattern: "*/15 * * * *", run: makeTrends },
    { name: "retention", pattern: "40 * * * *", isOfNode: true, run: retain },
    { name: "silent-sources", pattern: "*/5 * * * *", run: queueSilentSourceMails },
    ...(isNode ? [{ name: "prune-cluster", pattern: "45 0 * * *", run: forgetCopied }] : []),
    ...(backups === null ? [] : [backupJob(backups)]),
  ];
}

/** Deletes what a cluster keeps for its nodes' copies, once all of them have it. */
async function forgetCopied(db: Database, clock: Clock): Promise<void> {
  await sharedRowsOf(db)?.forgetCopied(clock);
}

function backupJob(plan: BackupPlan): ScheduledJob {
  return {
    name: BACKUP_JOB,
    pattern: "0 4 * * *",
    run: (db, clock) => backUpDaily(db, clock, plan),
  };
}

/** Runs a job's work on the calling thread. @returns what the log should say of it */
export async function runJob(
  db: Database,
  clock: Clock,
  { name, dueAt, settings }: { name: string; dueAt: number; settings: JobSettings },
): Promise<unknown> {
  const job = scheduledJobs(settings).find((one) => one.name === name);
  if (job === undefined) throw new Error(`there is no job ${name}`);
  return job.run(db, clock, dueAt);
}

/** Tells staff and the operator of each source that has fallen silent: once, until it succeeds again. */
async function queueSilentSourceMails(db: Database, clock: Clock): Promise<void> {
  const now = clock.now();
  const isNews = (await selectSources(db)).some((one) => !one.isNotified && isSilent(one, now));
  if (!isNews) return;
  await inTransaction(db, clock, "source-mail", async (tx) => {
    const silent = (await selectSources(tx)).filter((one) => !one.isNotified && isSilent(one, now));
    const isHeard = (await selectOperatorWebhooks(tx)).length > 0;
    for (const { id, name, succeededAt, createdAt, failure } of silent) {
      const lastSuccess = formatInstant(succeededAt ?? createdAt);
      const lastError = failure === null ? "" : inEnglish(failure);
      const mail = noticeMail(
        message("sourceSilentSubject", { name }),
        message("sourceSilentMail"),
        [
          [message("lastSuccess"), lastSuccess],
          [message("lastError"), lastError],
        ],
      );
      // Without anybody to tell, a source stays unreported, so that the first staff member gets the mail.
      if (!(await mailStaff(tx, now, mail)) && !isHeard) return;
      const facts = { source: { id, name }, last_success_at: lastSuccess, last_error: lastError };
      await tellOperator(tx, now, "source.silent", facts);
      await updateSource(tx, id, { isNotified: true });
    }
  });
}

const NAMED_MAX = 5;

/** Warning shown while sources are silent; null if none is. */
export async function silentWarning(db: Database, nowMs: number): Promise<string | null> {
  const silent = (await selectSources(db)).filter((source) => isSilent(source, nowMs));
  if (silent.length === 0) return null;
  const names = silent.slice(0, NAMED_MAX).map(({ name }) => name);
  const others = silent.length - names.length;
  const all = names.join(", ") + (others === 0 ? "" : ` and ${others} more`);
  return `Silent for three of their intervals: ${all}. \`kanalog source list\` says why.`;
}
