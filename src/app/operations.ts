import { readCardsAhead, selectIdsByHandle } from "../catalog/channels/channels.store.ts";
import { compareChannels } from "../catalog/comparison/comparison.store.ts";
import { bulkPart } from "../catalog/exports/bulk-part.ts";
import { exportPart } from "../catalog/exports/export-part.ts";
import { readExport } from "../catalog/exports/export-selection.ts";
import { noteExport } from "../catalog/exports/note-export.ts";
import { importRunChanges } from "../catalog/imports/runs/import-run-changes.ts";
import { runUpload } from "../catalog/imports/runs/run-upload.ts";
import { pushRows } from "../catalog/imports/writing/push-rows.ts";
import { foundByTitle } from "../catalog/manage/found-channels.store.ts";
import { followChannels, siteChannelChanges } from "../catalog/manage/site-channels.ts";
import { selectMentions } from "../catalog/mentions/mentions.store.ts";
import { selectNeighbours } from "../catalog/mentions/neighbours.store.ts";
import { selectSimilar } from "../catalog/mentions/similar.store.ts";
import { selectFoundPosts } from "../catalog/post-search/select-found.store.ts";
import { foundPosts } from "../catalog/posts/found-posts.store.ts";
import { selectHabits } from "../catalog/posts/habits.store.ts";
import { postChanges } from "../catalog/posts/manage-posts.ts";
import { selectPostsText } from "../catalog/posts/posts.store.ts";
import { removeSample } from "../catalog/sample/remove-sample.ts";
import { describeSelection } from "../catalog/search/describe-selection.ts";
import { countCatalog, selectCatalog } from "../catalog/search/select-catalog.ts";
import { applyBatch } from "../catalog/sources/apply-batch.ts";
import { importSourceFile, type SourceFile } from "../catalog/sources/import-source-file.ts";
import { sourceChanges } from "../catalog/sources/source-changes.ts";
import { selectDailyStatistics } from "../catalog/statistics/statistics.store.ts";
import { accountChanges } from "../customers/accounts/account-changes.ts";
import type { Actor } from "../customers/audit/audit-log.ts";
import { requestSteps } from "../customers/idempotency/idempotent-requests.ts";
import { keyChanges } from "../customers/keys/key-changes.ts";
import { customerChanges } from "../customers/keys/new-customer.ts";
import { writeRequestLog } from "../customers/limits/request-log.store.ts";
import { selectUsage, summarizeUsage } from "../customers/limits/usage-history.store.ts";
import { oauthChanges } from "../customers/oauth/oauth-changes.ts";
import { operatorKeyChanges } from "../customers/operator-keys/operator-keys.ts";
import { endSessionsOfSuspended } from "../customers/people/sessions.ts";
import { peopleOperations, sessionOperations } from "../customers/people/site-people.ts";
import { signUpOperations } from "../customers/sign-up/sign-up.ts";
import { checkpointBeside } from "../db/checkpoint.ts";
import type { Database } from "../db/database.ts";
import { countRows, readDatabaseFacts } from "../db/database-facts.ts";
import type { Pool } from "../db/operations.ts";
import type { Clock } from "../ports/clock.ts";
import { FILE_MAX_MS, JOB_MAX_MS, STOPPING_MAX_MS, TASK_MAX_MS } from "../ports/own-work.ts";
import { claimMail, dropOldMails, endMail } from "../push/mail/mails.store.ts";
import { addMail } from "../push/mail/mails.ts";
import { queueQuotaMail } from "../push/mail/quota-mail.ts";
import { alertChanges } from "../push/webhooks/alerts/manage-alerts.ts";
import { previewAlert } from "../push/webhooks/alerts/preview.ts";
import { alertWork } from "../push/webhooks/alerts/push-alerts.ts";
import { deliveryClaims } from "../push/webhooks/delivery/exchange.ts";
import { emptyQueues } from "../push/webhooks/events/drop-queue.ts";
import { webhookWork } from "../push/webhooks/events/due-work.ts";
import { channelWatchers } from "../push/webhooks/manage/channel-watchers.store.ts";
import { removeWebhookPart } from "../push/webhooks/manage/manage-webhooks.ts";
import { staffWebhookChanges } from "../push/webhooks/manage/staff-changes.ts";
import { resumeWebhooks, selectWebhooks } from "../push/webhooks/manage/webhooks.store.ts";
import { webhookChanges } from "../push/webhooks/manage/webhooks.ts";
import { copyNewest } from "../upkeep/cluster/copy-newest.ts";
import { noteStep } from "../upkeep/first-steps/first-steps.ts";
import { writeHour } from "../upkeep/hours/hours.store.ts";
import { buildSome } from "../upkeep/jobs/builds.ts";
import { claimJob, claimJobAfterImport, claimJobNow, endJob } from "../upkeep/jobs/job-claims.ts";
import { runJob } from "../upkeep/jobs/jobs.ts";
import { leaseChanges } from "../upkeep/lease/leases.store.ts";
import { parseJson } from "../values/json-text.ts";

/** A pool with one thread, for short work. */
const one = { threads: 1, deadline: TASK_MAX_MS } as const;
/** The same for the appliance's own work, which a customer's request may cause but not stop. */
const own = { ...one, refuses: "never" } as const;
/** The same for work that goes through many rows. */
const ownLong = { ...own, deadline: JOB_MAX_MS } as const;

/**
 * The thread pools of a serving process and the operations each of them runs. An operation listed here is
 * called as `threads.push.cutPart(…)`.
 */
export const pools = {
  /** Potentially slow queries: four at once, at most two per organization; further ones queue. */
  readers: {
    access: "reader",
    threads: 4,
    deadline: "query",
    operations: {
      selectCatalog: query(selectCatalog),
      countCatalog: query(countCatalog),
      compareChannels: query(compareChannels),
      describeSelection: query(describeSelection),
      selectIdsByHandle: query(selectIdsByHandle),
      selectDailyStatistics: query(selectDailyStatistics),
      selectPosts: query(selectPostsText),
      selectHabits: query(selectHabits),
      selectFoundPosts: query(selectFoundPosts),
      selectMentions: query(selectMentions),
      selectSimilar: query(selectSimilar),
      selectNeighbours: query(selectNeighbours),
      selectUsage: query(selectUsage),
      summarizeUsage: query(summarizeUsage),
      foundByTitle: query(foundByTitle),
      foundPosts: query(foundPosts),
      previewAlert: query(previewAlert),
      countRows: query(countRows),
      readDatabaseFacts,
    },
  },
  /** Parses large bodies, so that parsing never delays other answers. */
  bodies: {
    access: "reader",
    ...one,
    operations: { parseJson: (_db: Database, _clock: Clock, json: Uint8Array) => parseJson(json) },
  },
  /** Checkpoints wait for the disk, so they run on a thread instead of the serving connection. */
  checkpoints: { access: "writer", ...own, operations: { checkpointBeside } },
  /** Changes made by customers and staff: waiting for the write lock must not delay answers. */
  writer: {
    access: "writer",
    ...one,
    operations: {
      ...operatorKeyChanges,
      ...requestSteps,
      ...accountChanges({ prepare: emptyQueuesOf, resume: resumeWebhooks }, endSessionsOfSuspended),
      ...keyChanges,
      ...customerChanges,
      removeSample: (db: Database, clock: Clock, by: Actor) =>
        removeSample(db, clock, channelWatchers, by),
      ...oauthChanges,
      ...staffWebhookChanges,
      ...webhookChanges,
      ...alertChanges,
      addMail,
      claimJobNow,
      ...importRunChanges,
      noteExport,
      noteStep,
      ...postChanges,
      ...siteChannelChanges(channelWatchers),
      ...sourceChanges,
    },
  },
  /** The request log: no request waits for it. */
  requestLog: { access: "counter", ...own, operations: { writeRequestLog, writeHour } },
  /**
   * The upkeep lease's heartbeat: on its own thread so that nothing delays it, and not flushed to disk,
   * because it need not survive a power cut.
   */
  lease: { access: "counter", ...own, operations: leaseChanges },
  /** Webhook and mail work that runs on a timer, so that it never waits behind the scheduled jobs. */
  push: {
    access: "writer",
    ...own,
    operations: {
      ...webhookWork,
      ...alertWork,
      ...deliveryClaims,
      claimMail,
      endMail,
      dropOldMails,
      removeWebhookPart,
      queueQuotaMail,
    },
  },
  people: {
    access: "writer",
    ...one,
    operations: { ...peopleOperations, ...signUpOperations },
  },
  sessions: { access: "writer", ...one, operations: sessionOperations },
  /** Copies a cluster's rows to this node, on its own thread so that nothing delays it. */
  cluster: { access: "writer", ...ownLong, operations: { copyNewest } },
  /** The scheduler's jobs, which run long. */
  jobs: {
    access: "writer",
    ...ownLong,
    operations: {
      ...{ claimJob, claimJobAfterImport, endJob, runJob, buildSome },
      followChannels: followChannels(channelWatchers),
    },
  },
  /** Imports of uploaded files: as long as jobs, and in parallel with them. */
  imports: {
    access: "writer",
    ...{ ...own, deadline: FILE_MAX_MS + STOPPING_MAX_MS },
    operations: { runUpload },
  },
  /** Imports of files from sources: a short and a long one at a time, in parallel with uploads. */
  sources: {
    access: "writer",
    ...{ ...own, threads: 2 },
    deadline: ({ deadlineMs }: SourceFile) => deadlineMs + STOPPING_MAX_MS,
    operations: { importSourceFile },
  },
  /** Posts that bots received and crawlers push: short, and must not wait behind a file. */
  bots: { access: "writer", ...own, operations: { applyBatch, pushRows } },
  /** Reads in portions: exports, which last as long as the client reads, and the read-ahead of cards. */
  exports: {
    access: "reader",
    ...one,
    refuses: "paced",
    operations: {
      readExport,
      exportPart: query(exportPart),
      bulkPart: query(bulkPart),
      readCardsAhead: query(readCardsAhead),
    },
  },
} satisfies Record<string, Pool>;

/**
 * Empties the event queues of an organization that becomes entitled to events again: what queued up in
 * between is not sent.
 */
async function emptyQueuesOf(db: Database, clock: Clock, organizationId: number): Promise<void> {
  const webhooks = await selectWebhooks(db, organizationId);
  await emptyQueues(
    db,
    clock,
    webhooks.map(({ id }) => id),
  );
}

/** Wraps a query, which needs no clock, as an operation. */
function query<Argument, Result>(select: (db: Database, argument: Argument) => Result) {
  return (db: Database, _clock: Clock, argument: Argument): Result => select(db, argument);
}
