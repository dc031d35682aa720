import { createCardsReadAhead } from "../../catalog/channels/stored-card.ts";
import { createImportRuns } from "../../catalog/imports/runs/import-runs.ts";
import type { Upload } from "../../catalog/imports/runs/run-upload.ts";
import { createUploadFiles } from "../../catalog/imports/runs/upload-files.ts";
import { createPostIndexing } from "../../catalog/post-search/catch-up.ts";
import { createAccounts } from "../../customers/accounts/accounts.ts";
import { createKeys, createKeyUse, type Keys } from "../../customers/keys/keys.ts";
import { createLimits, createTimeBudgets } from "../../customers/limits/limits.ts";
import { createRates } from "../../customers/limits/rates.ts";
import { type AnsweredRequest, createRequestLog } from "../../customers/limits/request-log.ts";
import {
  type CommitUsage,
  createCommitOutage,
  createQuotaNotices,
  createUsage,
  createUsageCommits,
} from "../../customers/limits/usage.ts";
import { accessTokens } from "../../customers/oauth/token-model.ts";
import { createSavedLists } from "../../customers/saved-lists/saved-lists.ts";
import { createStripe } from "../../customers/selling/stripe.ts";
import { databaseChecks } from "../../db/file/database-facts.ts";
import { rewriteMeta } from "../../db/meta.ts";
import { inTransaction, type Wait } from "../../db/transaction.ts";
import { noteLogged } from "../../doors/http/answers.ts";
import { createMailer } from "../../push/mail/mailer.ts";
import { createAlerts } from "../../push/webhooks/alerts/alerts.ts";
import { createMakeAttempt } from "../../push/webhooks/delivery/attempt.ts";
import { createSender } from "../../push/webhooks/delivery/sender.ts";
import { createPush } from "../../push/webhooks/events/due-work.ts";
import { createManualAttempts } from "../../push/webhooks/manage/manual-attempts.ts";
import { createOperatorWebhooks } from "../../push/webhooks/manage/operator-webhooks.ts";
import { createStaffWebhooks } from "../../push/webhooks/manage/staff-webhooks.ts";
import { createWebhooks } from "../../push/webhooks/manage/webhooks.ts";
import { findLastBackup } from "../../upkeep/backups/backup-files.ts";
import { createHours } from "../../upkeep/hours/hours.ts";
import { createTargetGuard } from "../../values/network/target-guard.ts";
import type { Services } from "../../verbs/services.ts";
import { type Base, linkAddress } from "./base.ts";
import { backupPlan, composeJobs } from "./jobs.ts";
import { composeReading } from "./services.ts";
import { composeSources } from "./sources.ts";

/** The domains at work, before any door is put in front of them. */
export type Work = Awaited<ReturnType<typeof composeWork>>;

export async function composeWork(base: Base) {
  return { ...composeCustomers(base), ...(await composeUpkeep(base)) };
}

function composeCustomers(base: Base) {
  const { config, ports, db, threads } = base;
  const accounts = createAccounts(db, threads.write);
  const tokens = config.oauth ? accessTokens : null;
  const keys = createKeys(db, threads.write, ports.random, tokens);
  // A wrong clock would let an expired key in, or keep a valid one out.
  const verify: Keys["verify"] = (header, nowMs) => {
    base.readClock();
    base.cluster.requireCurrent?.();
    return keys.verify(header, nowMs);
  };
  const { keyUse, usage, limits, commitCheck } = composeLimits(base);
  const hooks = composeWebhooks(base);
  const { webhooks, alerts } = hooks;
  return {
    accounts,
    keys: { ...keys, verify },
    keyUse,
    usage,
    commitCheck,
    hooks,
    mailer: createMailer(db, threads.push, ports),
    stripe: composeStripe(base),
    services: {
      ...composeReading(base),
      copyNewest: base.cluster.copyNewest,
      ...{ keyUse, limits, webhooks, alerts },
      savedLists: createSavedLists(db, threads.write),
    } satisfies Services,
  };
}

/** Selling through Stripe; null unless both its settings are given. */
function composeStripe({ db, threads, config, ports }: Base) {
  const { stripeKey, stripeWebhookSecret, stripeApi } = config;
  if (stripeKey !== null && stripeWebhookSecret !== null) {
    const settings = { stripeKey, stripeWebhookSecret, stripeApi };
    return createStripe(db, threads.write, settings, ports);
  }
  if (stripeKey !== null || stripeWebhookSecret !== null) {
    ports.log.warn({}, "Stripe is off: it needs its key and the secret of its events");
  }
  return null;
}

async function composeUpkeep(base: Base) {
  const { config, ports, db, threads, others } = base;
  const { messengerHosts, postSearch, statisticsOpenDays: openDays } = config;
  const runUpload = (upload: Upload) =>
    threads.bulk.runUpload({ ...upload, messengerHosts, openDays });
  const files = createUploadFiles(config.databasePath, ports);
  const importParts = { db, changes: threads.write, runUpload, files };
  const imports = createImportRuns(importParts, ports, others.uploads);
  await imports.recover();
  const writing = { changes: threads.write, ...threads.bulk };
  return {
    ...composeUpkeepJobs(base),
    imports,
    sources: composeSources(db, writing, async () => base.secrets, config, ports),
    postIndex: createPostIndexing(
      db,
      threads.bulk.catchUpPosts,
      postSearch,
      ports.log,
      databaseChecks(db, ports.system).disk,
    ),
    readAhead: createCardsReadAhead(threads.bulk.readCardsAhead, ports.log),
    answers: composeAnswers(base),
  };
}

/** Records of answered requests: the request log that key owners see, and the hourly counters for staff. */
function composeAnswers({ config, ports, threads: { push } }: Base) {
  const requests = createRequestLog(config.requestLog ? push.writeRequestLog : null, ports.log);
  const hours = createHours(push.writeHour, ports);
  return {
    note(keyId: number, answered: AnsweredRequest): void {
      requests.note(keyId, answered);
      hours.note(answered);
    },

    /** Writes pending records, a long request log in portions. Never throws. */
    async flush(): Promise<void> {
      await requests.flush();
      await hours.flush();
    },

    /** Writes all pending records. Never throws. */
    async settled(): Promise<void> {
      await requests.settled();
      await hours.flush();
    },
  };
}

/** How long a readiness check may wait for the write lock. */
const TRY: Wait = { maxMs: 500, rank: "usage" };

/** Counts requests against quotas and rates, and records when each key was last used. */
function composeLimits({ db, threads, ports, metrics, crew, cluster, readClock }: Base) {
  const { clock, log } = ports;
  const keyUse = createKeyUse();
  const outage = createCommitOutage(clock, log);
  const commit =
    cluster.usage?.commit ??
    createUsageCommits(db, clock, readClock, threads.push.checkpointBeside);
  const commitUsage: CommitUsage = async (entries) => {
    const keyUses = keyUse.take();
    try {
      const receipts = await commit(entries, keyUses);
      outage.worked();
      return receipts;
    } catch (error) {
      keyUse.giveBack(keyUses);
      outage.failed(error);
      noteLogged(error);
      throw error;
    }
  };
  const usage = createUsage(
    db,
    metrics.counted.commits(commitUsage),
    createQuotaNotices(threads.push.queueQuotaMail, log),
  );
  return {
    keyUse,
    usage,
    limits: createLimits(
      createRates(clock, crew?.memory.rates, cluster.rates),
      usage,
      createTimeBudgets(clock, crew?.memory.times),
    ),

    /** Why usage cannot be committed at present; null if it can. */
    commitCheck: (): Promise<string | null> =>
      outage.check(
        () => cluster.usage?.commit([], []) ?? inTransaction(db, clock, "usage", rewriteMeta, TRY),
      ),
  };
}

function composeUpkeepJobs({
  config,
  ports,
  db,
  threads,
  metrics,
  lease,
  cluster,
  clockWatch,
}: Base) {
  const backups = backupPlan(config);
  return {
    scheduler: composeJobs(config, ports, {
      db,
      bulk: threads.bulk,
      counted: metrics.counted.jobs,
      // By a wrong clock a job would close or remove days that are not over.
      isOwn: (isOfNode) =>
        clockWatch.look() === null && (isOfNode ? lease : cluster.upkeep).isOwn(),
    }),
    lastBackup: async () => backups && (await findLastBackup(backups.place, ports.clock.now())),
  };
}

function composeWebhooks({ db, threads, secrets, config, ports, metrics, crew }: Base) {
  const { push: work, write, read } = threads;
  const guard = createTargetGuard(ports.network.resolve, config.webhookAllow);
  const makeAttempt = createMakeAttempt(guard, ports.network, secrets, ports.clock);
  const sender = createSender(
    work,
    metrics.counted.attempts(makeAttempt),
    config.webhookRetriesMs,
    ports,
    crew?.memory.manualAttempts,
  );
  const changes = { ...write, removeWebhookPart: work.removeWebhookPart };
  const { clock, random } = ports;
  const attempts = createManualAttempts(write, sender, () => random.uuid(clock.now()));
  const box = async () => secrets;
  return {
    sender,
    push: createPush(db, work, sender, config.webhookBatchMs, linkAddress(config, ports), ports),
    webhooks: createWebhooks(db, changes, guard, secrets, attempts),
    alerts: createAlerts(db, write, read, ports),
    staffWebhooks: createStaffWebhooks(db, write, box, attempts, clock),
    operatorWebhooks: createOperatorWebhooks(db, changes, guard, box, attempts, clock),
  };
}
