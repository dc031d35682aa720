import type { SQL, SQLWrapper } from "drizzle-orm";
import { and, eq, isNotNull, lt, lte, notExists, or, sql } from "drizzle-orm";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { change, query } from "../../../db/statement.ts";
import { alertWaiting } from "../alerts/alerts.table.ts";
import { isPending, webhookDeliveries } from "../delivery/deliveries.store.ts";
import { webhooks } from "../manage/webhooks.table.ts";

/** Posts of watched channels in the order they were read, queued until they are put into events. */
export const readPosts = sqliteTable("read_posts", {
  sequence: integer("sequence").primaryKey(),
  postId: integer("post_id").notNull(),
});

/** A single row with the times of the work on a timer. */
export const webhookLook = sqliteTable("webhook_look", {
  /** When a batch of posts was last begun to be put into events. */
  batchedAt: integer("batched_at").notNull(),
  /** Last heartbeat of any process that does this work; null for none yet. */
  lookedAt: integer("looked_at"),
  /** Until when the attempts that became due while no process was running were spread afterwards. */
  overdueUntil: integer("overdue_until").notNull(),
  /** Until when ends of plans have become events of the operator. */
  plansCheckedAt: integer("plans_checked_at").notNull(),
});

export type WebhookTimes = typeof webhookLook.$inferSelect;

/** Queries of the work on a timer: its times, overdue deliveries, failing webhooks. */

const times = query((db) => db.select().from(webhookLook)).one;

export async function readTimes(db: Database): Promise<WebhookTimes> {
  const row = await times(db);
  if (row === undefined) throw new Error("the table webhook_look has no row");
  return row;
}

export async function updateTimes(tx: Transaction, values: Partial<WebhookTimes>): Promise<void> {
  await tx.builders.update(webhookLook).set(values);
}

/** Moves due times back together with the clock, or all would become due that much later. */
export async function setBack(tx: Transaction, byMs: number): Promise<void> {
  const earlier = (instant: SQLWrapper): SQL => sql`${instant} - ${byMs}`;
  await tx.builders.update(webhookLook).set({
    batchedAt: earlier(webhookLook.batchedAt),
    overdueUntil: earlier(webhookLook.overdueUntil),
  });
  await tx.builders.update(alertWaiting).set({ dueAt: earlier(alertWaiting.dueAt) });
  await tx.builders
    .update(webhookDeliveries)
    .set({ nextAttemptAt: earlier(webhookDeliveries.nextAttemptAt) })
    .where(isPending);
  await tx.builders
    .update(webhookDeliveries)
    .set({ claimedUntil: earlier(webhookDeliveries.claimedUntil) })
    .where(isNotNull(webhookDeliveries.claimedUntil));
  for (const name of ["failingSince", "testedAt", "formerSecretUntil"] as const) {
    await tx.builders
      .update(webhooks)
      .set({ [name]: earlier(webhooks[name]) })
      .where(isNotNull(webhooks[name]));
  }
}

/**
 * Adds a gap in which no process was running to the webhooks that were failing, as far as they were: there
 * were no attempts in it.
 */
export async function addDownTime(tx: Transaction, nowMs: number, gapMs: number): Promise<void> {
  const { downMs, failingSince } = webhooks;
  await tx.builders
    .update(webhooks)
    .set({ downMs: sql`${downMs} + min(${gapMs}, ${nowMs} - ${failingSince})` })
    .where(lt(failingSince, nowMs));
}

/** Overdue deliveries, webhook by webhook: the index of pending deliveries starts with the webhook. */
const overdue = query((db, { nowMs, limit }: { nowMs: number; limit: number }) =>
  db
    .select({ id: webhookDeliveries.id, dueAt: webhookDeliveries.nextAttemptAt })
    .from(webhooks)
    .crossJoin(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhooks.id),
        isPending,
        lt(webhookDeliveries.nextAttemptAt, nowMs),
      ),
    )
    .limit(limit),
).all;

/** Numbers of some of the overdue deliveries, those due longest first. */
export async function selectOverdue(db: Database, nowMs: number, limit: number): Promise<number[]> {
  const found = await overdue(db, { nowMs, limit });
  found.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || a.id - b.id);
  return found.map(({ id }) => id);
}

export const putDue = change((db, { id, dueAt }: { id: number; dueAt: number }) =>
  db.update(webhookDeliveries).set({ nextAttemptAt: dueAt }).where(eq(webhookDeliveries.id, id)),
).run;

/** Whether any webhook has been failing since an instant or before. */
export const isAnyFailingSince = query((db, { failingSince }: { failingSince: number }) =>
  db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(lte(webhooks.failingSince, failingSince))
    .limit(1),
).any;

interface Failing {
  failingSince: number;
  downMaxMs: number;
  overdueUntil: number;
}

/**
 * Numbers of the active webhooks that have been failing since an instant or before. If no process was
 * running for more than `downMaxMs` of that time, a webhook counts only once no delivery due by
 * `overdueUntil` is pending.
 */
export const selectFailing = query((db, { failingSince, downMaxMs, overdueUntil }: Failing) => {
  const overdueOnes = db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhooks.id),
        isPending,
        lte(webhookDeliveries.nextAttemptAt, overdueUntil),
      ),
    );
  return db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        lte(webhooks.failingSince, failingSince),
        eq(webhooks.disabledReason, ""),
        or(lte(webhooks.downMs, downMaxMs), notExists(overdueOnes)),
      ),
    );
}).values;

/**
 * Posts in the queue, once for each webhook that watches their channel. CROSS JOIN fixes the order of the
 * joins: otherwise SQLite starts with all watched channels.
 */
const READ = `
  SELECT r.sequence, wc.webhook_id AS webhookId, octet_length(p.text) AS bytes
  FROM read_posts r
    CROSS JOIN posts p ON p.id = r.post_id
    LEFT JOIN webhook_channels wc ON wc.channel_id = p.channel_id
  ORDER BY r.sequence`;

/** A queued post, and a webhook that watches its channel. */
interface WatchedPost {
  sequence: number;
  /** Null if no webhook watches the channel any more. */
  webhookId: number | null;
  /** Length of the post's text in UTF-8. */
  bytes: number;
}

/**
 * Queued posts in the order in which they were read. Read lazily: until the iteration ends, the connection
 * can run no other statement.
 */
export function readWatchedPosts(db: Database): Iterable<WatchedPost> {
  return statement<WatchedPost>(db, READ).iterate();
}

/** Removes queued posts up to a sequence. */
export const forgetReadPosts = change((db, { last }: { last: number }) =>
  db.delete(readPosts).where(lte(readPosts.sequence, last)),
).run;

/**
 * Those of the given posts that a webhook gets, oldest first: of a public channel that it watches, read
 * since the webhook was created or enabled and since it began watching the channel, and published within
 * the last two days. A channel being merged is already hidden; its posts count as the other channel's. Each
 * join, made in the written order, finds one row by its key.
 */
const MATCHES = `
  SELECT p.id, p.channel_id AS channelId
  FROM webhooks w
    CROSS JOIN json_each(@sequences) wanted
    CROSS JOIN read_posts r ON r.sequence = wanted.value AND r.sequence > w.since_sequence
    CROSS JOIN posts p ON p.id = r.post_id
    CROSS JOIN webhook_channels wc ON wc.channel_id = p.channel_id AND wc.webhook_id = w.id
      AND wc.since_sequence < r.sequence
    CROSS JOIN channels c ON c.id = p.channel_id AND (c.is_public = 1 OR EXISTS (
      SELECT 1 FROM removed_channels m CROSS JOIN channels i ON i.id = m.into_id
      WHERE m.id = c.id AND i.is_public = 1))
  WHERE w.id = @webhookId AND w.disabled_reason = '' AND p.published_at >= @freshFrom
  ORDER BY p.published_at, p.id`;

/**
 * Numbers of the posts that a webhook gets, as `MATCHES` says.
 * @param served as `servedChannels`
 */
export function selectMatches(
  db: Database,
  of: { webhookId: number; sequences: readonly number[]; freshFrom: number },
  served: ReadonlySet<number> | null,
): number[] {
  return statement<{ id: number; channelId: number }>(db, MATCHES)
    .all({ ...of, sequences: JSON.stringify(of.sequences) })
    .filter(({ channelId }) => served === null || served.has(channelId))
    .map(({ id }) => id);
}

/** Advances a webhook: it only gets posts after a sequence. */
export const advanceWebhook = change(
  (db, { webhookId, last }: { webhookId: number; last: number }) =>
    db
      .update(webhooks)
      .set({ sinceSequence: last })
      .where(and(eq(webhooks.id, webhookId), lt(webhooks.sinceSequence, last))),
).run;
