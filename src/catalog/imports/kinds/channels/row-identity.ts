import { message } from "../../../../values/messages/messages.ts";
import type { CHANNEL_FIELDS, ChannelRecord } from "../../../channels/card.ts";
import type { createChannelRecords } from "../../../channels/channel-records.store.ts";
import type { RowOf } from "../../../fields/stored-field.ts";
import { type Given, RowFault } from "../import-kind.ts";

/**
 * A row of channels. `removed` marks a number that a former channel had: exports contain it so that the
 * number is not reused. `merged_into` is the channel that took over its identity.
 */
export type ChannelRow = RowOf<typeof CHANNEL_FIELDS> & { removed: boolean; merged_into: number };

type Records = ReturnType<typeof createChannelRecords>;

/** The stored channel that a row belongs to, by the first identity it gives; undefined for a new one. */
export function findStored(records: Records, row: Given<ChannelRow>): ChannelRecord | undefined {
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
 * Checks that what identifies a channel belongs to no other one.
 * @throws RowFault
 */
export function requireFreeIdentity(
  records: Records,
  record: ChannelRecord,
  stored: ChannelRecord | undefined,
): void {
  requireFreeMessengerId(records, record, stored);
  requireNewNumber(records, record, stored);
}

function requireFreeMessengerId(
  records: Records,
  record: ChannelRecord,
  stored: ChannelRecord | undefined,
): void {
  if (record.msgr_id === null || record.msgr_id === stored?.msgr_id) return;
  const holder = records.byMessengerId(record.msgr_id);
  if (holder !== undefined) {
    throw new RowFault("msgr_id", message("numberOfChannel", { channel: holder.id }));
  }
}

/** Refuses the number of a removed channel, which is never reused. */
function requireNewNumber(
  records: Records,
  { id }: ChannelRecord,
  stored: ChannelRecord | undefined,
): void {
  if (stored !== undefined || id === 0 || !records.wasRemoved(id)) return;
  throw new RowFault("id", message("numberOfRemovedChannel", { channel: id }));
}

/**
 * Takes a handle away from its present channel, if a row gives it to another.
 * @returns number of the channel that had it, or null
 */
export function giveUpHandle(records: Records, { id, handle }: ChannelRecord): number | null {
  const holder = handle === null ? undefined : records.byHandle(handle);
  if (holder === undefined || holder.id === id) return null;
  records.update({ ...holder, handle: null }, holder);
  return holder.id;
}
