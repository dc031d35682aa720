import { readCardsAhead, selectIdsByHandle } from "../catalog/channels/channels.store.ts";
import { selectPartStarts, selectPublicHandles } from "../catalog/channels/handles.store.ts";
import { compareChannels } from "../catalog/comparison/comparison.store.ts";
import { noteExport } from "../catalog/exports/bulk.ts";
import { bulkPart, exportPart } from "../catalog/exports/export-part.ts";
import { readExport } from "../catalog/exports/export-selection.ts";
import { importRunChanges } from "../catalog/imports/runs/import-run-changes.ts";
import { runUpload } from "../catalog/imports/runs/run-upload.ts";
import { pushRows } from "../catalog/imports/writing/push-rows.ts";
import { foundByTitle } from "../catalog/manage/found-channels.store.ts";
import { followChannels, siteChannelChanges } from "../catalog/manage/manage-channels.ts";
import { selectMentions } from "../catalog/mentions/mentions.store.ts";
import { selectNeighbours } from "../catalog/mentions/neighbours.store.ts";
import { selectSimilar } from "../catalog/mentions/similar.store.ts";
import { catchUpPosts } from "../catalog/post-search/catch-up.ts";
import { selectOverTime } from "../catalog/post-search/finding/over-time.store.ts";
import { selectFoundPosts } from "../catalog/post-search/finding/select-found.store.ts";
import { selectHabits } from "../catalog/posts/habits.store.ts";
import { postChanges } from "../catalog/posts/manage-posts.ts";
import { foundPosts, selectPostsText } from "../catalog/posts/posts.store.ts";
import { removeSample } from "../catalog/sample/sample.ts";
import { readColumns } from "../catalog/search/columns/read-columns.store.ts";
import { describeSelection } from "../catalog/search/describe-selection.store.ts";
import { optimizeSearch } from "../catalog/search/search-terms.ts";
import { countCatalog, placeInCategory, selectCatalog } from "../catalog/search/select-catalog.ts";
import { applyBatch } from "../catalog/sources/bots/batch-writer.ts";
import { importSourceFile, type SourceFile } from "../catalog/sources/files/import-source-file.ts";
import { sourceChanges } from "../catalog/sources/source-changes.ts";
import { selectDailyStatistics } from "../catalog/statistics/statistics.store.ts";
import { selectTrends } from "../catalog/trends/trends.store.ts";
import { copyNewest } from "../cluster/copy-newest.ts";
import { accountChanges } from "../customers/accounts/account-changes.ts";
import { findOrganizations } from "../customers/accounts/accounts.store.ts";
import type { Actor } from "../customers/audit/audit-log.ts";
import { requestSteps } from "../customers/idempotency/idempotent-requests.ts";
import { customerChanges, keyChanges } from "../customers/keys/key-changes.ts";
import { writeRequestLog } from "../customers/limits/request-log.store.ts";
import { selectUsage, summarizeUsage } from "../customers/limits/usage-history.ts";
import { oauthChanges } from "../customers/oauth/oauth-changes.ts";
import { operatorKeyChanges } from "../customers/operator-keys/operator-keys.ts";
import { endSessionsOfSuspended } from "../customers/people/sessions.ts";
import { peopleOperations } from "../customers/people/site-people.ts";
import { savedListChanges } from "../customers/saved-lists/saved-lists.ts";
import { isPlanPaid } from "../customers/selling/selling.store.ts";
import { sellingChanges } from "../customers/selling/subscription-changes.ts";
import { signUpOperations } from "../customers/sign-up/sign-up.ts";
import type { Database } from "../db/database.ts";
import { checkpointBeside } from "../db/file/checkpoint.ts";
import { countRows, readDatabaseFacts } from "../db/file/database-facts.ts";
import { type Lane, ruled } from "../db/operations.ts";
import { drawPng } from "../doors/site/public/pictures/draw-png.ts";
import { channelPath } from "../doors/site/public/reader.tsx";
import { sitemapOf } from "../doors/site/public/site-files.ts";
import type { Clock } from "../ports/clock.ts";
import { FILE_MAX_MS, JOB_MAX_MS, STOPPING_MAX_MS, TASK_MAX_MS } from "../ports/own-work.ts";
import { addMail } from "../push/mail/mailer.ts";
import { mailQueue } from "../push/mail/mails.store.ts";
import {
  queuePlanRequestMail,
  queueQuotaMail,
  queueSubscriptionMail,
} from "../push/mail/notices.ts";
import { alertChanges } from "../push/webhooks/alerts/manage-alerts.ts";
import { previewAlert } from "../push/webhooks/alerts/preview.ts";
import { alertWork } from "../push/webhooks/alerts/push-alerts.ts";
import { deliveryClaims } from "../push/webhooks/delivery/claim-due.ts";
import { webhookWork } from "../push/webhooks/events/due-work.ts";
import { tellIfEnding } from "../push/webhooks/events/operator-deliveries.ts";
import { emptyQueues } from "../push/webhooks/events/served.ts";
import { removeWebhookPart } from "../push/webhooks/manage/manage-webhooks.ts";
import { operatorWebhookChanges } from "../push/webhooks/manage/operator-webhooks.ts";
import { staffWebhookChanges } from "../push/webhooks/manage/staff-webhooks.ts";
import { channelWatchers } from "../push/webhooks/manage/watched-channels.store.ts";
import {
  findWebhooks,
  resumeWebhooks,
  selectWebhooks,
} from "../push/webhooks/manage/webhooks.store.ts";
import { webhookChanges } from "../push/webhooks/manage/webhooks.ts";
import { noteStep, summarizeForStaff } from "../upkeep/checks/staff-summary.ts";
import { writeHour } from "../upkeep/hours/hours.store.ts";
import { jobClaims } from "../upkeep/jobs/job-run.ts";
import { runJob } from "../upkeep/jobs/jobs.ts";
import { leaseChanges } from "../upkeep/lease/leases.store.ts";
import { parseJson } from "../values/json-text.ts";

/** Potentially slow queries, which stop at a deadline. */
const queries = { access: "reader", deadline: "query" } as const;

/** Changes made by customers and staff. */
const changes = { access: "writer", deadline: TASK_MAX_MS } as const;
/** Sign-ins, passwords and sessions: one may hash while another goes on. Each thread that runs one loads much. */
const ofPeople = { ...changes, atOnce: 2 } as const;
/** Removals of channels, each of which may wait until the rows of the one before are gone. */
const removals = { ...changes, atOnce: 1 } as const;
const { beginChannelRemoval, ...channelChanges } = siteChannelChanges(channelWatchers);

/**
 * The appliance's own work, which a customer's request may cause but not stop, one piece at a time. Each
 * rule below counts its own pieces.
 */
const own = { ...changes, refuses: "never", atOnce: 1 } as const;
/** Checkpoints, which wait for the disk. */
const checkpoints = { ...own } as const;
/** Counts and heartbeats, which need not survive a power cut and so do not wait for the disk. */
const counts = { ...own, access: "counter" } as const;
/** Claims of jobs: in the jobs' lane, which needs no thread of another then, and not behind a job. */
const claims = { ...own } as const;
/** Work that goes through many rows. */
const long = { ...own, deadline: JOB_MAX_MS } as const;
const copies = { ...long } as const;
const uploads = { ...own, deadline: FILE_MAX_MS + STOPPING_MAX_MS } as const;
/** Imports of files from sources: a short and a long one at a time. */
const sourceFiles = {
  ...own,
  deadline: ({ deadlineMs }: SourceFile) => deadlineMs + STOPPING_MAX_MS,
  atOnce: 2,
} as const;
/** Rows that bots received and crawlers push. */
const batches = { ...own } as const;
/** Pictures of public pages, which take a processor's time and nothing of the database. */
const pictures = { ...changes, access: "reader", refuses: "never", atOnce: 1 } as const;
/** Reads in portions: exports, which last as long as the client reads, and the read-ahead of cards. */
const portions = { ...changes, access: "reader", refuses: "paced", atOnce: 1 } as const;

/** Steps for an organization that becomes entitled to webhook events again. */
const resumption = { prepare: emptyQueuesOf, resume: resumeWebhooks, tellIfEnding };

/**
 * The lanes of threads of a serving process and the operations each of them runs. An operation listed here
 * is called as `threads.push.cutPart(…)`. An organization's tasks get at most half of a lane's threads. The
 * own work in `push` and `bulk` has a thread for each of its rules, so that none of it waits for another.
 */
export const lanes = {
  /** Changes made by customers and staff: waiting for the write lock must not delay answers. */
  write: {
    threads: 4,
    operations: {
      ...ruled(removals, { beginChannelRemoval }),
      ...ruled(ofPeople, { ...peopleOperations, ...signUpOperations }),
      ...ruled(changes, {
        ...operatorKeyChanges,
        ...requestSteps,
        ...accountChanges(resumption, endSessionsOfSuspended, queuePlanRequestMail, isPlanPaid),
        ...sellingChanges(resumption, queueSubscriptionMail),
        ...keyChanges,
        ...savedListChanges,
        ...customerChanges,
        removeSample: (db: Database, clock: Clock, by: Actor) =>
          removeSample(db, clock, channelWatchers, by),
        ...oauthChanges,
        ...staffWebhookChanges,
        ...webhookChanges,
        ...operatorWebhookChanges,
        ...alertChanges,
        addMail,
        ...importRunChanges,
        noteExport,
        noteStep,
        ...postChanges,
        ...channelChanges,
        ...sourceChanges,
      }),
    },
  },
  /** Queries: four at once, at most two per organization; further ones queue. */
  read: {
    threads: 4,
    operations: ruled(queries, {
      selectCatalog: query(selectCatalog),
      countCatalog: query(countCatalog),
      placeInCategory: query(placeInCategory),
      compareChannels: query(compareChannels),
      describeSelection: query(describeSelection),
      selectIdsByHandle: query(selectIdsByHandle),
      selectDailyStatistics: query(selectDailyStatistics),
      selectPosts: query(selectPostsText),
      selectHabits: query(selectHabits),
      selectTrends: query(selectTrends),
      selectFoundPosts: query(selectFoundPosts),
      selectOverTime: query(selectOverTime),
      selectMentions: query(selectMentions),
      selectSimilar: query(selectSimilar),
      selectNeighbours: query(selectNeighbours),
      selectUsage: query(selectUsage),
      findOrganizations: query(findOrganizations),
      findWebhooks: query(findWebhooks),
      summarizeUsage: query(summarizeUsage),
      summarizeForStaff: query(summarizeForStaff),
      foundByTitle: query(foundByTitle),
      foundPosts: query(foundPosts),
      previewAlert: query(previewAlert),
      selectPartStarts: query(selectPartStarts),
      // Written here too, because it has megabytes.
      sitemapPart: query((db, { afterId, address }: { afterId: number; address: string }) =>
        sitemapOf(address, selectPublicHandles(db, afterId).map(channelPath)),
      ),
      countRows: query(countRows),
      readDatabaseFacts,
      // Large bodies, so that parsing never delays other answers.
      parseJson: (_db: Database, _clock: Clock, json: Uint8Array) => parseJson(json),
    }),
  },
  /** Short work on timers: webhooks, mails, checkpoints, counts, copies of a cluster's rows. */
  push: {
    threads: 4,
    operations: {
      ...ruled(own, {
        ...webhookWork,
        ...alertWork,
        ...deliveryClaims,
        ...mailQueue,
        removeWebhookPart,
        queueQuotaMail,
      }),
      ...ruled(checkpoints, { checkpointBeside }),
      ...ruled(counts, { ...leaseChanges, writeRequestLog, writeHour }),
      ...ruled(copies, { copyNewest }),
    },
  },
  /** Long work: jobs, imports and exports, all in slices. */
  bulk: {
    threads: 8,
    operations: {
      ...ruled(claims, jobClaims),
      ...ruled(long, {
        runJob,
        optimizeSearch,
        catchUpPosts,
        followChannels: followChannels(channelWatchers),
      }),
      ...ruled(uploads, { runUpload }),
      ...ruled(sourceFiles, { importSourceFile }),
      ...ruled(batches, { applyBatch, pushRows }),
      ...ruled(pictures, {
        drawPng: (_db: Database, _clock: Clock, svg: string) => drawPng(svg),
      }),
      ...ruled(portions, {
        readExport,
        exportPart: query(exportPart),
        bulkPart: query(bulkPart),
        // The columns first, so that no search waits for them.
        readCardsAhead: query((db, afterId: number) => {
          if (afterId === 0) readColumns(db);
          return readCardsAhead(db, afterId);
        }),
      }),
    },
  },
} satisfies Record<string, Lane>;

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
function query<Argument, Result>(
  select: (db: Database, argument: Argument) => Result extends Promise<unknown> ? never : Result,
) {
  return (db: Database, _clock: Clock, argument: Argument): Result => select(db, argument);
}
