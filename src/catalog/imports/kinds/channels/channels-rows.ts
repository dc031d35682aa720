import type { Database } from "../../../../db/database.ts";
import type { ChannelField, ChannelRecord } from "../../../channels/card.ts";
import { CHANNEL_FIELDS, writeFormerHandles, writtenChannel } from "../../../channels/card.ts";
import { recordsAfter } from "../../../channels/channels.store.ts";
import { formerHandlesOf } from "../../../channels/handles.store.ts";
import { removedAfter } from "../../../channels/removed-channels.store.ts";
import { flagColumn, ID_MAX, integerColumn, nullable } from "../../../fields/columns.ts";
import { columnsOf } from "../../../fields/stored-field.ts";
import { idAmongRemoved, positionAmongRemoved } from "../exported-rows.ts";
import type { ImportKind } from "../import-kind.ts";
import type { ChannelRow } from "./row-identity.ts";
import { createChannelWriter } from "./write-channels.ts";

/** Channels are identified by `id`, or else `msgr_id`, or else `handle`. */
export const channelsImport: ImportKind<ChannelRow> = {
  columns: {
    ...columnsOf(CHANNEL_FIELDS),
    removed: flagColumn(),
    merged_into: nullable(integerColumn(1, ID_MAX)),
  },
  requiredColumns: ["id", "msgr_id", "handle", "title", "subscribers", "is_public", "removed"],
  isDirectory: false,
  open: createChannelWriter,
  exported: {
    columns: [...(Object.keys(CHANNEL_FIELDS) as ChannelField[]), "removed", "merged_into"],
    fields: CHANNEL_FIELDS,
    selectedBy: ["channel"],
    *rows(db, { channelId }, after, limit) {
      const afterRemovedId = idAmongRemoved(after);
      let read = 0;
      if (afterRemovedId === null) {
        const [afterId = channelId === null ? 0 : channelId - 1] = after ?? [];
        for (const record of recordsAfter(db, afterId, limit)) {
          if (channelId !== null && record.id !== channelId) return;
          read += 1;
          yield { position: [record.id], values: channelValues(db, record) };
        }
      }
      if (channelId !== null || read === limit) return;
      for (const { isKeptOut, ...names } of removedAfter(db, afterRemovedId ?? 0, limit - read)) {
        const values = { ...names, removed: isKeptOut === 1 };
        yield { position: positionAmongRemoved(names.id), values };
      }
    },
  },
};

/**
 * Includes all former handles: the card only has the newest, without the times at which they were given up.
 * Unknown subscribers, which the card shows as 0, are left out.
 */
function channelValues(db: Database, record: ChannelRecord) {
  const former = record.former_handles === "" ? [] : formerHandlesOf(db, record.id);
  const subscribers = record.subscribers_at === null ? null : record.subscribers;
  const former_handles = writeFormerHandles(former);
  return { ...writtenChannel(record), subscribers, former_handles };
}
