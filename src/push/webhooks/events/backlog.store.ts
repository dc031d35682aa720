import { and, count, eq, lte, sql } from "drizzle-orm";
import type { Database } from "../../../db/database.ts";
import { param, query } from "../../../db/query.ts";
import { alertPosts } from "../alerts/alerts.table.ts";
import { firstDueAt } from "../delivery/claims.store.ts";
import { isPending, webhookDeliveries } from "../delivery/deliveries.table.ts";
import { webhooks } from "../manage/webhooks.table.ts";
import { readPosts } from "./events.table.ts";
import { oldestReadAt } from "./oldest-read.store.ts";

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
const due = query((db) =>
  db.select({ deliveries: count() }).from(
    db
      .select({ id: webhookDeliveries.id })
      .from(webhooks)
      .crossJoin(webhookDeliveries)
      .where(
        and(
          eq(webhookDeliveries.webhookId, webhooks.id),
          isPending,
          lte(webhookDeliveries.nextAttemptAt, param("nowMs")),
        ),
      )
      .limit(COUNTED_MAX)
      .as("due"),
  ),
);

const oldestDue = query((db) => {
  const first = db
    .select({ at: firstDueAt.as("at") })
    .from(webhooks)
    .as("first");
  return db
    .select({ at: sql<number | null>`min(${first.at})` })
    .from(first)
    .where(lte(first.at, param("nowMs")));
});

const waiting = query((db) => {
  const posts = db.select({ sequence: readPosts.sequence }).from(readPosts).limit(COUNTED_MAX);
  return db.select({ posts: count() }).from(posts.as("waiting"));
});

const waitingForAlerts = query((db) => {
  const posts = db.select({ sequence: alertPosts.sequence }).from(alertPosts).limit(COUNTED_MAX);
  return db.select({ posts: count() }).from(posts.as("waiting"));
});

export async function selectBacklog(db: Database, nowMs: number): Promise<Backlog> {
  return {
    deliveriesDue: (await due(db).get({ nowMs }))?.deliveries ?? 0,
    oldestDueAt: (await oldestDue(db).get({ nowMs }))?.at ?? null,
    postsWaiting: (await waiting(db).get())?.posts ?? 0,
    alertPostsWaiting: (await waitingForAlerts(db).get())?.posts ?? 0,
    oldestAlertPostAt: oldestReadAt(db, "alert_posts"),
  };
}
