import { and, count, eq, lte, sql } from "drizzle-orm";
import { type Database, statement } from "../../../db/database.ts";
import { query } from "../../../db/statement.ts";
import { alertPosts } from "../alerts/alerts.table.ts";
import { firstDueAt, isPending, webhookDeliveries } from "../delivery/deliveries.store.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { readPosts } from "./due-work.store.ts";

/** Pending work of webhooks, for metrics and pages. */
interface Backlog {
  /** Deliveries due or in progress, counted up to COUNTED_MAX. */
  deliveriesDue: number;
  /** Epoch milliseconds; null if none is due. */
  oldestDueAt: number | null;
  /** Posts not yet put into events, counted up to COUNTED_MAX. */
  postsWaiting: number;
  /** Posts not yet matched with alerts, counted up to COUNTED_MAX. */
  alertPostsWaiting: number;
  /** When the first post not yet matched was read, in epoch milliseconds; null if there is none. */
  oldestAlertPostAt: number | null;
}

/** Limit for each count, because counting takes time on the serving thread. */
const COUNTED_MAX = 10_000;

/** Due deliveries, webhook by webhook: the index of pending deliveries starts with the webhook. */
const countDue = query((db, { nowMs }: { nowMs: number }) =>
  db.select({ deliveries: count() }).from(
    db
      .select({ id: webhookDeliveries.id })
      .from(webhooks)
      .crossJoin(webhookDeliveries)
      .where(
        and(
          eq(webhookDeliveries.webhookId, webhooks.id),
          isPending,
          lte(webhookDeliveries.nextAttemptAt, nowMs),
        ),
      )
      .limit(COUNTED_MAX)
      .as("due"),
  ),
).count;

const oldestDue = query((db, { nowMs }: { nowMs: number }) => {
  const first = db
    .select({ at: firstDueAt.as("at") })
    .from(webhooks)
    .as("first");
  return db
    .select({ at: sql<number | null>`min(${first.at})` })
    .from(first)
    .where(lte(first.at, nowMs));
}).value;

const countWaiting = query((db) => {
  const posts = db.select({ sequence: readPosts.sequence }).from(readPosts).limit(COUNTED_MAX);
  return db.select({ posts: count() }).from(posts.as("waiting"));
}).count;

const countWaitingForAlerts = query((db) => {
  const posts = db.select({ sequence: alertPosts.sequence }).from(alertPosts).limit(COUNTED_MAX);
  return db.select({ posts: count() }).from(posts.as("waiting"));
}).count;

export async function selectBacklog(db: Database, nowMs: number): Promise<Backlog> {
  return {
    deliveriesDue: await countDue(db, { nowMs }),
    oldestDueAt: await oldestDue(db, { nowMs }),
    postsWaiting: await countWaiting(db),
    alertPostsWaiting: await countWaitingForAlerts(db),
    oldestAlertPostAt: oldestReadAt(db, "alert_posts"),
  };
}

/** Queues of posts: for webhooks that watch channels, and for alerts. */
export type PostQueue = "read_posts" | "alert_posts";

/**
 * When the post that waits longest in a queue was read, in epoch milliseconds; null if none waits. Raw
 * SQL, because the join must start with the queue, and drizzle has no table of posts.
 */
export function oldestReadAt(db: Database, queue: PostQueue): number | null {
  const sql = `SELECT p.read_at AS readAt FROM ${queue} r CROSS JOIN posts p ON p.id = r.post_id
    ORDER BY r.sequence LIMIT 1`;
  return statement<{ readAt: number }>(db, sql).get()?.readAt ?? null;
}
