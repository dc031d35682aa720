import { and, asc, count, eq, gt } from "drizzle-orm";
import type { BuildersNow } from "../../../db/awaited-session.ts";
import { type Database, statement } from "../../../db/database.ts";
import { dropRest } from "../events/drop-queue.ts";
import { type DisabledReason, type Webhook, webhooks } from "./webhooks.table.ts";

/** Webhooks and their channels. What writes is called inside transactions. */

export function selectWebhook(db: Database, id: number): Webhook | undefined {
  return db.buildersNow.select().from(webhooks).where(eq(webhooks.id, id)).get();
}

/** An organization's webhooks after a number, by number; all organizations' where it is null. */
export function selectWebhooks(
  db: Database,
  { organizationId, after, limit }: { organizationId: number | null; after: number; limit: number },
): Webhook[] {
  return db.buildersNow
    .select()
    .from(webhooks)
    .where(
      and(
        organizationId === null ? undefined : eq(webhooks.organizationId, organizationId),
        gt(webhooks.id, after),
      ),
    )
    .orderBy(asc(webhooks.id))
    .limit(limit)
    .all();
}

export function countWebhooks(db: Database, organizationId: number): number {
  const counted = db.buildersNow
    .select({ webhooks: count() })
    .from(webhooks)
    .where(eq(webhooks.organizationId, organizationId))
    .get();
  return counted?.webhooks ?? 0;
}

export function activeWebhooks(db: Database): Webhook[] {
  return db.buildersNow.select().from(webhooks).where(eq(webhooks.disabledReason, "")).all();
}

export function anyWebhook(db: Database): boolean {
  return statement(db, "SELECT 1 FROM webhooks LIMIT 1").get() !== undefined;
}

export function insertWebhook(
  db: Database,
  row: Pick<Webhook, "organizationId" | "url" | "secret" | "createdAt">,
): number {
  const { id } = (db.buildersNow as BuildersNow)
    .insert(webhooks)
    .values({
      ...row,
      updatedAt: row.createdAt,
      disabledReason: "",
      sinceSequence: lastSequence(db),
      downMs: 0,
      lastError: "",
    })
    .returning({ id: webhooks.id })
    .get();
  return id;
}

export function updateWebhook(db: Database, id: number, change: Partial<Webhook>): void {
  (db.buildersNow as BuildersNow).update(webhooks).set(change).where(eq(webhooks.id, id)).run();
}

/** With its channels, deliveries and their attempts. @returns whether there was one */
export function deleteWebhook(db: Database, id: number): boolean {
  return (
    (db.buildersNow as BuildersNow).delete(webhooks).where(eq(webhooks.id, id)).run().changes > 0
  );
}

/** The numbers of the channels that a webhook watches, in the order given. */
export function channelsOf(db: Database, webhookId: number): number[] {
  const list = statement<{ channels: string }>(
    db,
    "SELECT channels FROM webhook_lists WHERE webhook_id = ?",
  );
  return JSON.parse(list.get(webhookId)?.channels ?? "[]") as number[];
}

/**
 * Has a webhook watch these channels. Only what differs is written: a channel that was watched before
 * stays so, the others are from now on.
 */
export function replaceChannels(
  db: Database,
  webhookId: number,
  channels: readonly number[],
): void {
  const before = new Set(channelsOf(db, webhookId));
  const kept = new Set(channels);
  const removed = [...before].filter((id) => !kept.has(id));
  const added = channels.filter((id) => !before.has(id));
  if (removed.length > 0) {
    statement(
      db,
      `DELETE FROM webhook_channels
       WHERE webhook_id = ? AND channel_id IN (SELECT value FROM json_each(?))`,
    ).run(webhookId, JSON.stringify(removed));
  }
  if (added.length > 0) {
    statement(
      db,
      `INSERT INTO webhook_channels (channel_id, webhook_id, since_sequence)
       SELECT value, ?, ? FROM json_each(?)`,
    ).run(webhookId, lastSequence(db), JSON.stringify(added));
  }
  statement(
    db,
    `INSERT INTO webhook_lists (webhook_id, channels) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET channels = excluded.channels`,
  ).run(webhookId, JSON.stringify(channels));
}

/** Those of the numbers that are no public channel's. */
export function unknownChannels(db: Database, channels: readonly number[]): number[] {
  return statement<{ id: number }>(
    db,
    `SELECT given.value AS id FROM json_each(?) given
     WHERE NOT EXISTS (SELECT 1 FROM channels WHERE id = given.value AND is_public = 1)`,
  )
    .all(JSON.stringify(channels))
    .map(({ id }) => id);
}

/** The last post that was read: what comes later is new. */
function lastSequence(db: Database): number {
  return (
    statement<{ seq: number }>(
      db,
      "SELECT seq FROM sqlite_sequence WHERE name = 'read_posts'",
    ).get()?.seq ?? 0
  );
}

/** Ends deliveries: nothing is attempted any more. Its queue is to be emptied after the commit. */
export function disable(db: Database, id: number, reason: DisabledReason, nowMs: number): void {
  updateWebhook(db, id, { disabledReason: reason, failingSince: null, updatedAt: nowMs });
}

/** Sends what is read from now on. Its queue is to be emptied before, since a long one takes time. */
export function enable(db: Database, id: number, nowMs: number): void {
  updateWebhook(db, id, { disabledReason: "", updatedAt: nowMs });
  startAfresh(db, id);
}

/** Only what is read from now on is sent, and only what fails from now on counts. */
function startAfresh(db: Database, id: number): void {
  dropRest(db, id);
  updateWebhook(db, id, { sinceSequence: lastSequence(db), failingSince: null, downMs: 0 });
}

export function webhooksOf(db: Database, organizationId: number): number[] {
  return db.buildersNow
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(eq(webhooks.organizationId, organizationId))
    .all()
    .map(({ id }) => id);
}

/** In the transaction by which an organization is served again after it was not. */
export function resumeWebhooks(db: Database, organizationId: number): void {
  for (const id of webhooksOf(db, organizationId)) startAfresh(db, id);
}
