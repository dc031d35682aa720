import { message } from "../../../../values/messages/messages.ts";
import type { CHANNEL_FIELDS, ChannelRecord } from "../../../channels/card.ts";
import type { ChannelRecords } from "../../../channels/channel-records.store.ts";
import type { RemovedChannel } from "../../../channels/removed-channels.store.ts";
import type { RowOf } from "../../../fields/stored-field.ts";
import { type Given, KeptOut, RowFault } from "../import-kind.ts";

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
