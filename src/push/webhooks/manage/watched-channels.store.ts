import { isNotNull, sql } from "drizzle-orm";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../../db/query.ts";
import { lastNumberOf } from "../alerts/alerts.store.ts";
import { webhookLists } from "./webhooks.table.ts";

/**
 * The channels that webhooks watch. `webhook_lists` has a webhook's list, which readers see; the rows of
 * `webhook_channels` say the same by channel. A new list takes effect for readers at once. Its rows, which
 * may be thousands, follow in parts: those added first, then events are made by the new list, then the rest
 * is removed. If interrupted anywhere, the list says what is left to do.
 */

/** Rows per statement: a fraction of a slice. */
const ROWS_PER_STEP = 100;

const listOf = query((db) =>
  db.select().from(webhookLists).where(eqParam(webhookLists.webhookId, "webhookId")),
);

/** Numbers of the channels that a webhook watches, in the order in which its owner listed them. */
export async function channelsOf(db: Database, webhookId: number): Promise<number[]> {
  return (await listOf(db).get({ webhookId }))?.channels ?? [];
}

const putList = change((db) =>
  db
    .insert(webhookLists)
    .values(allParams("webhookId", "channels", "served"))
    .onConflictDoUpdate({
      target: webhookLists.webhookId,
      set: { channels: sql`excluded.channels`, served: sql`excluded.served` },
    }),
);

const putServed = change((db) =>
  db
    .update(webhookLists)
    .set({ served: param("served") })
    .where(eqParam(webhookLists.webhookId, "webhookId")),
);

/** Gives a webhook another list. The caller then calls `fitRows` until it returns false. */
export async function setChannels(
  tx: Transaction,
  webhookId: number,
  channels: readonly number[],
): Promise<void> {
  const before = await listOf(tx).get({ webhookId });
  const served = before?.served ?? JSON.stringify(before?.channels ?? []);
  await putList(tx).run({ webhookId, channels, served });
}

/** Makes another channel take a channel's place in a webhook's list; null leaves its place out. */
export async function replaceInList(
  tx: Transaction,
  webhookId: number,
  { id, intoId }: { id: number; intoId: number | null },
): Promise<void> {
  const list = await listOf(tx).get({ webhookId });
  if (list === undefined) return;
  const replaced = (channels: readonly number[]): number[] => {
    if (!channels.includes(id)) return [...channels];
    const others = channels.flatMap((channel) => {
      if (channel !== id) return [channel];
      return intoId === null ? [] : [intoId];
    });
    return [...new Set(others)];
  };
  const { channels, served } = list;
  await putList(tx).run({
    webhookId,
    channels: replaced(channels),
    served: served === null ? null : JSON.stringify(replaced(JSON.parse(served))),
  });
}

const changing = query((db) =>
  db
    .select({ webhookId: webhookLists.webhookId })
    .from(webhookLists)
    .where(isNotNull(webhookLists.served))
    .limit(1),
);

/** A webhook whose rows are being changed; null if there is none. */
export async function selectChanging(db: Database): Promise<number | null> {
  return (await changing(db).get())?.webhookId ?? null;
}

/**
 * Continues to change a webhook's rows to what its list says, in the caller's slice.
 * @returns whether something is left
 */
export async function fitRows(
  tx: Transaction,
  webhookId: number,
  isOver: () => boolean,
): Promise<boolean> {
  const list = await listOf(tx).get({ webhookId });
  if (list === undefined || list.served === null) return false;
  const rows = new Set(rowsOf(tx, webhookId));
  for (const some of chunks(list.channels.filter((id) => !rows.has(id)))) {
    const gone = goneOf(tx, some);
    for (const channel of gone) await replaceInList(tx, webhookId, channel);
    if (gone.length > 0) return true;
    insertRows(tx, webhookId, some);
    if (isOver()) return true;
  }
  const wanted = new Set(list.channels);
  for (const some of chunks([...rows].filter((id) => !wanted.has(id)))) {
    deleteRows(tx, webhookId, some);
    if (!isOver()) continue;
    await putServed(tx).run({ webhookId, served: JSON.stringify(list.channels) });
    return true;
  }
  await putServed(tx).run({ webhookId, served: null });
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

const servedOf = query((db) =>
  db
    .select({ served: webhookLists.served })
    .from(webhookLists)
    .where(eqParam(webhookLists.webhookId, "webhookId")),
);

/**
 * The channels whose posts a webhook gets while its rows are being changed; null if they are those of its
 * rows. A channel that is being merged into another one stands for both.
 */
export async function servedChannels(
  db: Database,
  webhookId: number,
): Promise<ReadonlySet<number> | null> {
  const served = (await servedOf(db).get({ webhookId }))?.served ?? null;
  if (served === null) return null;
  const channels = new Set<number>(JSON.parse(served));
  const merged = statement<{ id: number; intoId: number }>(
    db,
    `SELECT id, into_id AS intoId FROM removed_channels
     WHERE is_done = 0 AND into_id IS NOT NULL`,
  ).all();
  for (const { id, intoId } of merged) if (channels.has(id)) channels.add(intoId);
  return channels;
}
