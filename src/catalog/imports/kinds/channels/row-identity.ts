import { message } from "../../../../values/messages/messages.ts";
import type { CHANNEL_FIELDS, ChannelRecord } from "../../../channels/card.ts";
import type { ChannelRecords } from "../../../channels/channel-records.store.ts";
import type { RowOf } from "../../../fields/stored-field.ts";
import { type Given, RowFault } from "../import-kind.ts";

/**
 * A row of channels. `removed` marks a number that a former channel had: exports contain it so that the
 * number is not reused. `merged_into` is the channel that took over its identity.
 */
export type ChannelRow = RowOf<typeof CHANNEL_FIELDS> & { removed: boolean; merged_into: number };

/** The stored channel that a row belongs to, by the first identity it gives; undefined for a new one. */
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
    return holder?.msgr_id === null ? holder : undefined;
  }
  if (row.handle != null) return records.byHandle(row.handle);
  throw new RowFault("id", message("channelNotNamed"));
}

/**
 * Checks that a channel's messenger id belongs to no other one, and a new channel's number to no removed
 * one, because these are never reused.
 * @throws RowFault
 */
export function requireFreeIdentity(
  records: ChannelRecords,
  { id, msgr_id }: ChannelRecord,
  stored: ChannelRecord | undefined,
): void {
  if (msgr_id !== null && msgr_id !== stored?.msgr_id) {
    const holder = records.byMessengerId(msgr_id);
    if (holder !== undefined) {
      throw new RowFault("msgr_id", message("numberOfChannel", { channel: holder.id }));
    }
  }
  if (stored === undefined && id !== 0 && records.wasRemoved(id)) {
    throw new RowFault("id", message("numberOfRemovedChannel", { channel: id }));
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
