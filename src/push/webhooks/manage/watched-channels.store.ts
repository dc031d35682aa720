import { eq, sql } from "drizzle-orm";
import type { Removal, Watchers } from "../../../catalog/manage/removals.store.ts";
import { selectRemoval } from "../../../catalog/manage/removals.store.ts";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { change, query } from "../../../db/statement.ts";
import { lastNumberOf } from "../alerts/alerts.store.ts";
import { changingLists, webhookLists } from "./webhooks.table.ts";

/**
 * The channels that webhooks watch. `webhook_lists` has a webhook's list, which readers see; the rows of
 * `webhook_channels` say the same by channel. A new list takes effect for readers at once. Its rows, which
 * may be thousands, follow in parts: those added first, then events are made by the new list, then the rest
 * is removed. If interrupted anywhere, the list says what is left to do.
 */

/** Rows per statement: a fraction of a slice. */
const ROWS_PER_STEP = 100;

const listOf = query((db, { webhookId }: { webhookId: number }) =>
  db
    .select({ channels: webhookLists.channels })
    .from(webhookLists)
    .where(eq(webhookLists.webhookId, webhookId)),
).value;

/** Numbers of the channels that a webhook watches, in the order in which its owner listed them. */
export async function channelsOf(db: Database, webhookId: number): Promise<number[]> {
  return (await listOf(db, { webhookId })) ?? [];
}

const putList = change((db, { webhookId, channels }: typeof webhookLists.$inferSelect) =>
  db
    .insert(webhookLists)
    .values({ webhookId, channels })
    .onConflictDoUpdate({
      target: webhookLists.webhookId,
      set: { channels: sql`excluded.channels` },
    }),
).run;

const servedOf = query((db, { webhookId }: { webhookId: number }) =>
  db
    .select({ served: changingLists.served })
    .from(changingLists)
    .where(eq(changingLists.webhookId, webhookId)),
).value;

const putServed = change((db, { webhookId, served }: typeof changingLists.$inferSelect) =>
  db
    .insert(changingLists)
    .values({ webhookId, served })
    .onConflictDoUpdate({
      target: changingLists.webhookId,
      set: { served: sql`excluded.served` },
    }),
).run;

const endChange = change((db, { webhookId }: { webhookId: number }) =>
  db.delete(changingLists).where(eq(changingLists.webhookId, webhookId)),
).run;

/** Gives a webhook another list. The caller then calls `fitRows` until it returns false. */
export async function setChannels(
  tx: Transaction,
  webhookId: number,
  channels: number[],
): Promise<void> {
  if ((await servedOf(tx, { webhookId })) === null) {
    await putServed(tx, { webhookId, served: await channelsOf(tx, webhookId) });
  }
  await putList(tx, { webhookId, channels });
}

/** Makes another channel take a channel's place in a webhook's list; null leaves its place out. */
async function replaceInList(
  tx: Transaction,
  webhookId: number,
  { id, intoId }: { id: number; intoId: number | null },
): Promise<void> {
  const replaced = (channels: readonly number[]): number[] => {
    const others = channels.flatMap((channel) => {
      if (channel !== id) return [channel];
      return intoId === null ? [] : [intoId];
    });
    return [...new Set(others)];
  };
  await putList(tx, { webhookId, channels: replaced(await channelsOf(tx, webhookId)) });
  const served = await servedOf(tx, { webhookId });
  if (served !== null) await putServed(tx, { webhookId, served: replaced(served) });
}

/** A webhook whose rows are being changed; null if there is none. */
export const selectChanging = query((db) =>
  db.select({ webhookId: changingLists.webhookId }).from(changingLists).limit(1),
).value;

/**
 * Continues to change a webhook's rows to what its list says, in the caller's slice.
 * @returns whether something is left
 */
export async function fitRows(
  tx: Transaction,
  webhookId: number,
  isOver: () => boolean,
): Promise<boolean> {
  if ((await servedOf(tx, { webhookId })) === null) return false;
  const channels = await channelsOf(tx, webhookId);
  const rows = new Set(rowsOf(tx, webhookId));
  for (const some of chunks(channels.filter((id) => !rows.has(id)))) {
    const gone = goneOf(tx, some);
    for (const channel of gone) await replaceInList(tx, webhookId, channel);
    if (gone.length > 0) return true;
    insertRows(tx, webhookId, some);
    if (isOver()) return true;
  }
  const wanted = new Set(channels);
  for (const some of chunks([...rows].filter((id) => !wanted.has(id)))) {
    deleteRows(tx, webhookId, some);
    if (!isOver()) continue;
    await putServed(tx, { webhookId, served: channels });
    return true;
  }
  await endChange(tx, { webhookId });
  return false;
}

function chunks(ids: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(ids.length / ROWS_PER_STEP) }, (_, at) =>
    ids.slice(at * ROWS_PER_STEP, (at + 1) * ROWS_PER_STEP),
  );
}

function rowsOf(db: Database, webhookId: number): number[] {
  const sql = "SELECT channel_id AS id FROM webhook_channels WHERE webhook_id = ?";
  return statement<{ id: number }>(db, sql)
    .all(webhookId)
    .map(({ id }) => id);
}

/** Those of the channels that were merged or deleted since the list was given. */
function goneOf(
  db: Database,
  ids: readonly number[],
): readonly { id: number; intoId: number | null }[] {
  return statement<{ id: number; intoId: number | null }>(
    db,
    `SELECT given.value AS id, m.into_id AS intoId
     FROM json_each(?) given LEFT JOIN removed_channels m ON m.id = given.value
     WHERE NOT EXISTS (SELECT 1 FROM channels WHERE id = given.value)`,
  ).all(JSON.stringify(ids));
}

/** A channel is watched from now on. */
function insertRows(tx: Transaction, webhookId: number, ids: readonly number[]): void {
  statement(
    tx,
    `INSERT INTO webhook_channels (channel_id, webhook_id, since_sequence)
     SELECT value, ?, ? FROM json_each(?)`,
  ).run(webhookId, lastNumberOf(tx, "read_posts"), JSON.stringify(ids));
}

function deleteRows(tx: Transaction, webhookId: number, ids: readonly number[]): void {
  statement(
    tx,
    `DELETE FROM webhook_channels
     WHERE webhook_id = ? AND channel_id IN (SELECT value FROM json_each(?))`,
  ).run(webhookId, JSON.stringify(ids));
}

/**
 * The channels whose posts a webhook gets while its rows are being changed; null if they are those of its
 * rows. A channel that is being merged into another one stands for both.
 */
export async function servedChannels(
  db: Database,
  webhookId: number,
): Promise<ReadonlySet<number> | null> {
  const served = await servedOf(db, { webhookId });
  if (served === null) return null;
  const channels = new Set(served);
  const removal = selectRemoval(db);
  if (removal?.intoId != null && channels.has(removal.id)) channels.add(removal.intoId);
  return channels;
}

/** Changes to webhooks and alerts whose channel is being merged or deleted. */
export const channelWatchers: Watchers = {
  count(db: Database, channelId: number): number {
    const sql = "SELECT count(*) AS webhooks FROM webhook_channels WHERE channel_id = ?";
    return statement<{ webhooks: number }>(db, sql).get(channelId)?.webhooks ?? 0;
  },

  /**
   * Makes webhooks that watch the removed channel watch the other one too. They keep watching the removed
   * one meanwhile, so that none of its posts is missed, moved or not.
   */
  watchOther(tx: Transaction, { id, intoId }: Removal): void {
    statement(
      tx,
      `INSERT INTO webhook_channels (channel_id, webhook_id, since_sequence)
       SELECT @intoId, webhook_id, since_sequence FROM webhook_channels WHERE channel_id = @id
       ON CONFLICT (channel_id, webhook_id) DO UPDATE SET
         since_sequence = min(since_sequence, excluded.since_sequence)`,
    ).run({ id, intoId });
    // Alerts change their channel at once: for them, posts not moved yet count as the other channel's.
    statement(tx, "UPDATE alerts SET channel_id = ? WHERE channel_id = ?").run(intoId, id);
  },

  /**
   * Makes one webhook stop watching the removed channel: in its list, the other channel, if any, takes its
   * place.
   * @returns false if none watched it
   */
  async leaveNext(tx: Transaction, { id, intoId }: Removal): Promise<boolean> {
    const next = statement<{ webhookId: number }>(
      tx,
      "SELECT webhook_id AS webhookId FROM webhook_channels WHERE channel_id = ? LIMIT 1",
    ).get(id);
    if (next === undefined) return false;
    const { webhookId } = next;
    await replaceInList(tx, webhookId, { id, intoId });
    statement(tx, "DELETE FROM webhook_channels WHERE channel_id = ? AND webhook_id = ?").run(
      id,
      webhookId,
    );
    return true;
  },
};
