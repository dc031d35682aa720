import { selectIdsByHandle } from "../catalog/channels/channels.store.ts";
import { recount } from "../catalog/directory/recount.ts";
import { refreshFacets } from "../catalog/directory/refresh-facets.ts";
import { runUpload } from "../catalog/imports/run-upload.ts";
import { type PostSelection, selectPosts } from "../catalog/posts/posts.store.ts";
import type { CatalogSelection } from "../catalog/search/catalog.ts";
import { optimizeSearch } from "../catalog/search/optimize-search.ts";
import { selectCatalog } from "../catalog/search/select-catalog.ts";
import { closeDay } from "../catalog/statistics/close-day.ts";
import {
  type StatisticsSelection,
  selectDailyStatistics,
} from "../catalog/statistics/statistics.store.ts";
import { pruneUsage } from "../customers/limits/prune-usage.ts";
import { selectUsage, type UsageSelection } from "../customers/limits/usage.store.ts";
import {
  changePassword,
  choosePassword,
  distrust,
  endSessions,
  endSessionsOfSuspended,
  ensurePerson,
  markStaff,
  opensLink,
  passwordLink,
  setUpPerson,
  signedIn,
  signIn,
  signOut,
} from "../customers/people/people.ts";
import { checkpointBeside } from "../db/checkpoint.ts";
import type { Database } from "../db/database.ts";
import { readDatabaseFacts } from "../db/database-facts.ts";
import type { Clock } from "../ports/clock.ts";
import { claimMail, endMail } from "../push/mail/mails.store.ts";
import { exchange, releaseClaims } from "../push/webhooks/delivery/exchange.ts";
import {
  cutPart,
  disableFailed,
  leavePart,
  lookAfterWebhooks,
  pruneDeliveries,
} from "../push/webhooks/events/due-work.ts";
import {
  addWebhook,
  changeWebhook,
  removeWebhookPart,
  rotateSecret,
} from "../push/webhooks/manage/manage-webhooks.ts";
import { startResend, startTest } from "../push/webhooks/manage/manual-attempts.ts";
import { backUp } from "../upkeep/backups/daily-backup.ts";
import { claimJob, endJob } from "../upkeep/jobs/jobs.store.ts";
import { parseJson } from "../values/json-text.ts";

/** Queries that may be slow: on reader threads, under the deadline. */
export const readOperations = {
  selectCatalog: (db: Database, _clock: Clock, selection: CatalogSelection) =>
    selectCatalog(db, selection),
  selectIdsByHandle: (db: Database, _clock: Clock, handles: readonly string[]) =>
    selectIdsByHandle(db, handles),
  selectDailyStatistics: (db: Database, _clock: Clock, selection: StatisticsSelection) =>
    selectDailyStatistics(db, selection),
  selectPosts: (db: Database, _clock: Clock, selection: PostSelection) =>
    selectPosts(db, selection),
  selectUsage: (db: Database, _clock: Clock, selection: UsageSelection) =>
    selectUsage(db, selection),
  readDatabaseFacts: (db: Database, _clock: Clock, _argument: null) => readDatabaseFacts(db),
};

/** Large bodies, so that no parsing holds up answers. */
export const bodyOperations = {
  parseJson: (_db: Database, _clock: Clock, json: Uint8Array) => parseJson(json),
};

/** A checkpoint waits for the disk, so the connection that serves leaves it to a thread. */
export const checkpointOperations = {
  checkpointBeside: (db: Database, clock: Clock, _argument: null) => checkpointBeside(db, clock),
};

/** What customers change: on a thread of its own, so that no wait for the lock holds up answers. */
export const writeOperations = {
  addWebhook,
  changeWebhook,
  rotateSecret,
  startTest,
  startResend,
};

/** What webhooks and mails do by the clock: on a thread of its own, beside the nightly jobs. */
export const pushOperations = {
  lookAfterWebhooks,
  cutPart,
  leavePart,
  disableFailed,
  removeWebhookPart,
  exchange,
  releaseClaims,
  claimMail,
  endMail,
};

/** Sign-in, sessions and passwords: some hash, all write, so on a thread of their own. */
export const peopleOperations = {
  signIn,
  passwordLink,
  choosePassword,
  changePassword,
  ensurePerson,
  setUpPerson,
  markStaff,
  endSessions,
  endSessionsOfSuspended,
  distrust,
};

/** Who is signed in: asked for every page, so nobody's hashing may be in the way. */
export const sessionOperations = { signedIn, signOut, opensLink };

/** The scheduler's work: long, on a thread of its own. */
export const jobOperations = {
  claimJob,
  endJob,
  closeDay,
  recount: (db: Database, clock: Clock, _argument: null) => recount(db, clock),
  pruneUsage,
  pruneDeliveries: (db: Database, clock: Clock, _argument: null) => pruneDeliveries(db, clock),
  optimizeSearch: async (db: Database, clock: Clock, _argument: null) => {
    await refreshFacets(db, clock);
    await optimizeSearch(db, clock);
  },
  backUp,
};

/** Files that were uploaded: as long as jobs, and beside them. */
export const importOperations = { runUpload };
