import type { Database } from "../../../../db/database.ts";
import type { Clock } from "../../../../ports/clock.ts";
import { message } from "../../../../values/messages/messages.ts";
import type { CHANNEL_FIELDS, ChannelRecord } from "../../../channels/card.ts";
import type { ChannelRecords } from "../../../channels/channel-records.store.ts";
import { createChannelIds, createChannelNumbers } from "../../../channels/channels.store.ts";
import type { RemovedChannel } from "../../../channels/removed-channels.store.ts";
import type { RowOf } from "../../../fields/stored-field.ts";
import { newestPostAt } from "../../../posts/posts.store.ts";
import { type Given, KeptOut, RowFault, type RowOutcome } from "../import-kind.ts";

/**
 * A row of channels. `removed` marks a channel that was deleted: exports contain it, so that it stays out and
 * its number is not reused; with false, it may return. `merged_into` is the channel that took over its names.
 */
export type ChannelRow = RowOf<typeof CHANNEL_FIELDS> & { removed: boolean; merged_into: number };

/** The stored channel that a row belongs to, by the first identity it gives; undefined if there is none. */
export function findStored(
  records: ChannelRecords,
  row: Given<ChannelRow>,
): ChannelRecord | undefined {
  if (row.id != null) return records.byId(row.id);
  if (row.msgr_id != null) {
    const known = records.byMessengerId(row.msgr_id);
    if (known !== undefined || row.handle == null) return known;
    // When a catalog kept by handle receives messenger ids, the holder of the handle is the same channel,
    // not a twin.
    const holder = records.byHandle(row.handle);
    const isSame =
      holder?.msgr_id === null && records.removed.byMessengerId(row.msgr_id) === undefined;
    return isSame ? holder : undefined;
  }
  if (row.handle != null) return records.byHandle(row.handle);
  throw new RowFault("id", message("channelNotNamed"));
}

/**
 * The removed channel that a row without a stored one belongs to, if it may return with this row; undefined
 * for a channel that is new.
 * @param restores whether all rows bring such channels back
 * @throws KeptOut if it may not
 */
export function findReturning(
  { removed, byMessengerId }: ChannelRecords,
  row: Given<ChannelRow>,
  restores: boolean,
): RemovedChannel | undefined {
  const found = removed.named(row);
  if (found === undefined) return undefined;
  const isRestored = restores || row.removed === false || !found.isKeptOut;
  if (isRestored && !found.isUnderWay) return found;
  const id = row.msgr_id;
  const isFree =
    id != null && byMessengerId(id) === undefined && removed.byMessengerId(id) === undefined;
  if (isFree && found.msgr_id === null) removed.nameIt(found.id, id);
  throw new KeptOut();
}

/**
 * Checks that a channel's messenger id belongs to no other one.
 * @throws RowFault
 */
export function requireFreeIdentity(
  records: ChannelRecords,
  { msgr_id }: ChannelRecord,
  stored: ChannelRecord | undefined,
): void {
  if (msgr_id === null || msgr_id === stored?.msgr_id) return;
  const holder = records.byMessengerId(msgr_id);
  if (holder !== undefined) {
    throw new RowFault("msgr_id", message("numberOfChannel", { channel: holder.id }));
  }
}

/**
 * Takes a handle away from its present channel, if a row gives it to another.
 * @returns number of the channel that had it, or null
 */
export function giveUpHandle(
  records: ChannelRecords,
  { id, handle }: ChannelRecord,
): number | null {
  const holder = handle === null ? undefined : records.byHandle(handle);
  if (holder === undefined || holder.id === id) return null;
  records.update({ ...holder, handle: null }, holder);
  return holder.id;
}

/** Columns that can name the channel; a row that refreshes it gives exactly one of them. */
const IDENTITIES = ["id", "msgr_id", "handle"] as const;
const NUMBERS = ["subscribers", "subscribers_at", "last_post_at"] as const;
const IDENTITY_OR_NUMBER: ReadonlySet<string> = new Set([...IDENTITIES, ...NUMBERS]);

/**
 * Returns a function that writes a row which only gives an existing channel's numbers. The channel's card
 * and texts stay unchanged and are not even read, so that it takes a third of the time of any other row.
 * @returns null, with nothing written, for any other row
 */
export function createRefresh(
  db: Database,
  clock: Clock,
): (row: Given<ChannelRow>) => RowOutcome | null {
  const ids = createChannelIds(db);
  const numbers = createChannelNumbers(db);

  function find({ id, msgr_id, handle }: Given<ChannelRow>): number | undefined {
    // A null would clear the other identity.
    if (id != null) return msgr_id === undefined && handle === undefined ? id : undefined;
    if (msgr_id != null) return handle === undefined ? ids.byMessengerId(msgr_id) : undefined;
    return handle == null ? undefined : ids.byHandle(handle);
  }

  return (row) => {
    for (const name in row) if (!IDENTITY_OR_NUMBER.has(name)) return null;
    const id = find(row);
    const stored = id === undefined ? undefined : numbers.find(id);
    if (stored === undefined) return null;
    const { id: channelId, last_post_at } = stored;
    const now = {
      id: channelId,
      ...latestReading(row, stored, clock.now()),
      last_post_at: row.last_post_at === undefined ? last_post_at : row.last_post_at,
    };
    // The newest post is only looked up for an earlier time, because the stored one is never before it.
    if ((now.last_post_at ?? 0) < (last_post_at ?? 0)) {
      const newest = newestPostAt(db, channelId);
      if (newest !== null) now.last_post_at = Math.max(now.last_post_at ?? 0, newest);
    }
    return numbers.update(now, stored) ? "updated" : "unchanged";
  };
}

type Reading = Pick<ChannelRecord, "subscribers" | "subscribers_at">;

/** The newer reading of subscribers: the stored one, or the row's, which is of now unless it says when. */
export function latestReading(
  { subscribers, subscribers_at: at }: Given<ChannelRow>,
  stored: Reading = { subscribers: 0, subscribers_at: null },
  nowMs: number,
): Reading {
  const { subscribers_at: before } = stored;
  const isOlder = at != null && before !== null && at < before;
  if (subscribers == null || isOlder) {
    return { subscribers: stored.subscribers, subscribers_at: before };
  }
  const isSame = before !== null && subscribers === stored.subscribers;
  return { subscribers, subscribers_at: at ?? (isSame ? before : nowMs) };
}
