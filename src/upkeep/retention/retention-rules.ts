import { REQUESTS_KEPT_DAYS } from "../../customers/idempotency/idempotent-requests.ts";
import { LOGGED_DAYS, LOGGED_MAX } from "../../customers/limits/request-log.store.ts";
import { noteUsageRemoval, USAGE_DAYS_KEPT } from "../../customers/limits/usage.store.ts";
import { KNOWN_DAYS, KNOWN_MAX } from "../../customers/people/sessions.ts";
import type { Transaction } from "../../db/database.ts";
import { FRESH_DAYS } from "../../push/webhooks/events/cut-events.ts";

/** Why a table needs no limit of its own. */
export type Kept =
  /** The operator's and the customers' data: only they remove it. */
  | "business"
  /** Rows of other tables are its reason, and it loses them together with those. */
  | "derived"
  /** As many rows as the program has names for. */
  | "fixed"
  /** Work that is waiting, and removed once done. */
  | "queue";

/** Rows that are removed some days after they were last needed. */
interface Age {
  days: number;
  /**
   * SQL condition of the rows to be removed. `@until` is the time that many days ago in epoch milliseconds,
   * `@untilText` the same in the sign-in library's format, `@untilDay` its Moscow day.
   */
  when: string;
  /** Called in the transaction that removes the first rows. */
  note?: (tx: Transaction, untilMs: number) => void;
}

/** Most rows of one owner, of which those that come first in `order` are removed. */
interface Most {
  rows: number;
  of: "channel" | "grant" | "key" | "organization" | "person" | "source" | "table";
  /** Null where the statements that write the table keep the number, because rows come too fast for a job. */
  by: { owner: string; order: string } | null;
}

/** What limits a table that callers or time would make grow. */
export interface Limits {
  /** Columns of the primary key, if the table has no `rowid`. */
  key?: readonly string[];
  age?: Age;
  most?: Most;
}

/** The rule of a table: why it is kept, or what limits it. */
export type Rule = Kept | Limits;

const HAS_ENDED = "(revoked_at <= @until OR expires_at <= @until)";

/**
 * The rule of every table. A table without one fails a test, so nothing can be added that grows without
 * end.
 */
export const RETENTION: Readonly<Record<string, Rule>> = {
  accounts_version: "fixed",
  alert_changes: { most: { rows: 500, of: "table", by: null } },
  alert_mails: "business",
  alert_posts: "queue",
  alert_waiting: "queue",
  alerts: "business",
  audit_log: {
    age: { days: 730, when: "at <= @until" },
    // Changes of staff have no organization, and are limited together.
    most: { rows: 100_000, of: "organization", by: { owner: "organization_id", order: "id" } },
  },
  cards_version: "fixed",
  categories: "business",
  category_images: "business",
  changed_days: "queue",
  changing_lists: "queue",
  channel_cards: "business",
  channel_changes: { most: { rows: 262_144, of: "table", by: null } },
  channel_metrics: "derived",
  channel_search: "derived",
  channel_texts: "derived",
  channels: "business",
  cluster_copy: "fixed",
  credentials: "derived",
  daily_statistics: "business",
  // Imports may list any number of them.
  former_handles: {
    most: { rows: 1_000, of: "channel", by: { owner: "channel_id", order: "id" } },
  },
  hour_durations: { key: ["started_at", "class"], age: { days: 9, when: "started_at <= @until" } },
  hours: { age: { days: 9, when: "started_at <= @until" } },
  import_runs: {
    age: { days: 730, when: "state <> 'running' AND started_at <= @until" },
    most: { rows: 10_000, of: "table", by: { owner: "NULL", order: "id" } },
  },
  jobs: "fixed",
  // Longer than the usage that names them. Creating keys is limited per organization and hour.
  keys: {
    age: {
      days: 500,
      when: `${HAS_ENDED}
        AND NOT EXISTS (SELECT 1 FROM usage_days WHERE key_id = keys.id)
        AND NOT EXISTS (SELECT 1 FROM oauth_grants WHERE key_id = keys.id)`,
    },
  },
  known_networks: {
    key: ["person_id", "network"],
    age: { days: KNOWN_DAYS, when: "signed_in_at <= @until" },
    most: { rows: KNOWN_MAX, of: "person", by: { owner: "person_id", order: "signed_in_at" } },
  },
  leases: "fixed",
  // The mailer gives them up, and says so in the log.
  mails: { most: { rows: 10_000, of: "table", by: null } },
  manual_attempts: { age: { days: 1, when: "attempted_at <= @until" } },
  members: "business",
  mentions: "derived",
  meta: "fixed",
  metrics_read: "fixed",
  // A day longer than they are valid, so that using one again is noticed.
  oauth_codes: { key: ["hash"], age: { days: 1, when: "expires_at <= @until" } },
  oauth_grants: {
    age: { days: 0, when: `EXISTS (SELECT 1 FROM keys k WHERE k.id = key_id AND ${HAS_ENDED})` },
  },
  oauth_tokens: {
    key: ["hash"],
    age: { days: 0, when: "expires_at <= @until" },
    most: { rows: 500, of: "grant", by: { owner: "key_id", order: "expires_at" } },
  },
  operator_events: "queue",
  operator_keys: {
    age: {
      days: 500,
      when: `${HAS_ENDED}
        AND NOT EXISTS (SELECT 1 FROM operator_requests WHERE key_id = operator_keys.id)`,
    },
  },
  operator_requests: {
    key: ["key_id", "idempotency_key"],
    age: { days: REQUESTS_KEPT_DAYS, when: "started_at <= @until" },
  },
  organizations: "business",
  people: "business",
  plan_requests: "business",
  plans: "business",
  post_numbers: "fixed",
  post_search_parts: "derived",
  post_search_stale: "queue",
  post_search_state: "fixed",
  post_search_stems: "derived",
  // What was taken down stays down, whatever an import brings.
  post_tombstones: "business",
  posts: "business",
  public_cards: "derived",
  quota_mails: {
    key: ["organization_id", "period_started_at", "percent"],
    age: { days: USAGE_DAYS_KEPT, when: "period_started_at <= @until" },
  },
  read_posts: "queue",
  // Their numbers are never given again, and those of merged channels lead to others.
  removed_channels: "business",
  request_log: {
    age: { days: LOGGED_DAYS, when: "at <= @until" },
    most: { rows: LOGGED_MAX, of: "key", by: null },
  },
  sample_channels: "fixed",
  saved_lists: "business",
  search_trigrams: "derived",
  searched_posts: "derived",
  sessions: {
    age: { days: 0, when: "expires_at <= @untilText" },
    most: { rows: 100, of: "person", by: { owner: "person_id", order: "created_at" } },
  },
  sign_ups: { key: ["token_hash"], age: { days: 0, when: "expires_at <= @until" } },
  source_album_parts: { most: { rows: 1_000, of: "channel", by: null } },
  source_chats: "business",
  source_days: { key: ["source_id", "day"], age: { days: 90, when: "day <= @untilDay" } },
  // The latest files of a folder, which are not read again.
  source_files: {
    key: ["source_id", "name"],
    most: { rows: 100_000, of: "source", by: { owner: "source_id", order: "modified_at" } },
  },
  sources: "business",
  stripe_customers: "business",
  // Stripe sends an event again for three days; one that it sends later changes nothing either.
  stripe_events: { key: ["id"], age: { days: 30, when: "received_at <= @until" } },
  stripe_refunds: "business",
  stripe_subscriptions: "business",
  territories: "business",
  trend_days: "derived",
  trends: "fixed",
  usage_days: {
    key: ["organization_id", "day", "method", "key_id", "status"],
    age: {
      days: USAGE_DAYS_KEPT,
      // By organization, because the primary key begins with it.
      when: "organization_id IN (SELECT id FROM organizations) AND day <= @untilDay",
      note: noteUsageRemoval,
    },
  },
  usage_periods: "business",
  verifications: { age: { days: 0, when: "expires_at <= @untilText" } },
  webhook_attempts: "derived",
  webhook_bodies: {
    age: {
      days: FRESH_DAYS,
      when: `EXISTS (SELECT 1 FROM webhook_deliveries d
        WHERE d.id = delivery_id AND d.created_at <= @until AND d.state <> 'pending')`,
    },
  },
  webhook_channels: "business",
  webhook_deliveries: { age: { days: 30, when: "created_at <= @until AND state <> 'pending'" } },
  webhook_lists: "derived",
  webhook_look: "fixed",
  webhooks: "business",
};
