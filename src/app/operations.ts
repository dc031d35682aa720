import { readCardsAhead, selectIdsByHandle } from "../catalog/channels/channels.store.ts";
import { compareChannels } from "../catalog/comparison/comparison.store.ts";
import { bulkPart } from "../catalog/exports/bulk-part.ts";
import { exportPart } from "../catalog/exports/export-part.ts";
import { readExport } from "../catalog/exports/export-selection.ts";
import { noteExport } from "../catalog/exports/note-export.ts";
import { importRunChanges } from "../catalog/imports/import-run-changes.ts";
import { runUpload } from "../catalog/imports/run-upload.ts";
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
import { importSourceFile } from "../catalog/sources/import-source-file.ts";
import { sourceChanges } from "../catalog/sources/source-changes.ts";
import { selectDailyStatistics } from "../catalog/statistics/statistics.store.ts";
import { accountChanges } from "../customers/accounts/account-changes.ts";
import type { Actor } from "../customers/audit/audit-log.ts";
import { keyChanges } from "../customers/keys/key-changes.ts";
import { customerChanges } from "../customers/keys/new-customer.ts";
import { writeRequestLog } from "../customers/limits/request-log.store.ts";
import { selectUsage, summarizeUsage } from "../customers/limits/usage-history.store.ts";
import { oauthChanges } from "../customers/oauth/oauth-changes.ts";
import { peopleOperations, sessionOperations } from "../customers/people/site-people.ts";
import { signUpOperations } from "../customers/sign-up/sign-up.ts";
import { checkpointBeside } from "../db/checkpoint.ts";
import type { Database } from "../db/database.ts";
import { readDatabaseFacts } from "../db/database-facts.ts";
import type { Pool } from "../db/operations.ts";
import type { Clock } from "../ports/clock.ts";
import { claimMail, dropOldMails, endMail } from "../push/mail/mails.store.ts";
import { addMail } from "../push/mail/mails.ts";
import { tellQuota } from "../push/mail/quota-mail.ts";
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
import { claimJob, claimJobBehind, claimJobNow, endJob } from "../upkeep/jobs/job-claims.ts";
import { runJob } from "../upkeep/jobs/jobs.ts";
import { leaseChanges } from "../upkeep/lease/leases.store.ts";
import { parseJson } from "../values/json-text.ts";

/** Pool of one thread, which ends its work however long it takes: every pool but the readers. */
const one = { threads: 1, hasDeadline: false } as const;

/**
 * The threads of a serving process, and what each runs. An operation that is named here can be called
 * as `threads.push.cutPart(…)`.
 */
export const pools = {
  /** Queries that may be slow: four at once, of one organization two; one more waits for a thread. */
  readers: {
    access: "reader",
    threads: 4,
    hasDeadline: true,
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
      readDatabaseFacts,
    },
  },
  /** Large bodies, so that no parsing holds up answers. */
  bodies: {
    access: "reader",
    ...one,
    operations: { parseJson: (_db: Database, _clock: Clock, json: Uint8Array) => parseJson(json) },
  },
  /** A checkpoint waits for the disk, so the connection that serves leaves it to a thread. */
  checkpoints: { access: "writer", ...one, operations: { checkpointBeside } },
  /** Changes that customers and staff make: no wait for the lock may hold up answers. */
  writer: {
    access: "writer",
    ...one,
    operations: {
      ...accountChanges({ prepare: emptyQueuesOf, resume: resumeWebhooks }),
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
  /** The log of requests: whoever is served waits for none of it. */
  requestLog: { access: "counter", ...one, operations: { writeRequestLog, writeHour } },
  /** The heartbeat of whoever does the upkeep: behind nobody's work, and not flushed, since it need not survive. */
  lease: { access: "counter", ...one, operations: leaseChanges },
  /** Work for webhooks and mails that is due by the clock, beside the nightly jobs. */
  push: {
    access: "writer",
    ...one,
    operations: {
      ...webhookWork,
      ...alertWork,
      ...deliveryClaims,
      claimMail,
      endMail,
      dropOldMails,
      removeWebhookPart,
      tellQuota,
    },
  },
  people: {
    access: "writer",
    ...one,
    operations: { ...peopleOperations, ...signUpOperations },
  },
  sessions: { access: "writer", ...one, operations: sessionOperations },
  /** A node's copy of a cluster's rows: behind nobody's work. */
  cluster: { access: "writer", ...one, operations: { copyNewest } },
  /** The scheduler's work, which is long. */
  jobs: {
    access: "writer",
    ...one,
    operations: {
      ...{ claimJob, claimJobBehind, endJob, runJob, buildSome },
      followChannels: followChannels(channelWatchers),
    },
  },
  /** Files that were uploaded: as long as jobs, and beside them. */
  imports: { access: "writer", ...one, operations: { runUpload } },
  /** Files that sources gave: as long as uploads, and beside them. */
  sources: { access: "writer", ...one, operations: { importSourceFile } },
  /** Posts that bots were told of: short, and not to wait for a file. */
  bots: { access: "writer", ...one, operations: { applyBatch } },
  /** Reads part by part: of files that are downloaded, as long as their readers take, and of cards ahead. */
  exports: {
    access: "reader",
    ...one,
    operations: {
      readExport,
      exportPart: query(exportPart),
      bulkPart: query(bulkPart),
      readCardsAhead: query(readCardsAhead),
    },
  },
} satisfies Record<string, Pool>;

/** Empties the queues of an organization that may get events again: what waited meanwhile is not sent. */
async function emptyQueuesOf(db: Database, clock: Clock, organizationId: number): Promise<void> {
  const webhooks = await selectWebhooks(db, organizationId);
  await emptyQueues(
    db,
    clock,
    webhooks.map(({ id }) => id),
  );
}

/** A query as an operation: it needs no clock. */
function query<Argument, Result>(select: (db: Database, argument: Argument) => Result) {
  return (db: Database, _clock: Clock, argument: Argument): Result => select(db, argument);
}
