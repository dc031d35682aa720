import { type Database, statement } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { CHANNEL_COLUMNS, type ChannelRecord } from "./card.ts";
import { createChannelRows, readDirectoryIds } from "./channel-rows.store.ts";
import { createChannelIds } from "./channels.store.ts";
import { createFormerHandles, type FormerHandle, isSameHandle } from "./former-handles.store.ts";
import { parseMessengerId } from "./messenger-id.ts";

const RECORD_BY_ID = `SELECT ${CHANNEL_COLUMNS}
  FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ?`;

export type ChannelRecords = ReturnType<typeof createChannelRecords>;

/**
 * Finds and writes channels for imports, inside the caller's transactions. `writeSearch` must be called
 * before each commit.
 */
export function createChannelRecords(db: Database, clock: Clock) {
  const directoryIds = readDirectoryIds(db);
  const byId = statement<ChannelRecord>(db, RECORD_BY_ID);
  const rows = createChannelRows(db, directoryIds);
  const formerHandles = createFormerHandles(db);
  const ids = createChannelIds(db);
  const insertRemoved = statement(
    db,
    "INSERT INTO removed_channels (id, into_id, removed_at, is_done) VALUES (?, ?, ?, 1)",
  );

  const record = (id: number | undefined): ChannelRecord | undefined =>
    id === undefined ? undefined : byId.get(id);

  return {
    hasCategory: (slug: string): boolean => directoryIds.categories.has(slug),
    hasTerritory: (slug: string): boolean => directoryIds.territories.has(slug),
    byId: (id: number) => record(ids.byId(id)),
    byMessengerId: (messengerId: string) => record(ids.byMessengerId(messengerId)),
    byHandle: (handle: string) => record(ids.byHandle(handle)),

    nextNumber: ids.nextNumber,
    wasRemoved: ids.wasRemoved,

    /**
     * Records the number of a channel that another appliance deleted, or merged into one that exists here.
     */
    recordRemoval(id: number, intoId: number | null): void {
      insertRemoved.run(id, intoId, clock.now());
    },

    /** Those of the handles that are not yet known as the channel's, former or current. */
    unknownHandles: (
      { id, handle }: ChannelRecord,
      listed: readonly FormerHandle[],
    ): FormerHandle[] => formerHandles.unknown(id, handle, listed),

    /** @param record its former handles are ignored @param listed former handles that a file lists for it, newest first */
    insert(record: ChannelRecord, listed: readonly FormerHandle[] = []): void {
      const { id } = record;
      rows.insert(record);
      const change = { before: null, after: record.handle, listed };
      const former_handles = listed.length > 0 ? formerHandles.record(id, change, clock.now()) : "";
      rows.insertCard({ ...record, former_handles });
    },

    /**
     * Updates a channel, and records the handle that it gives up.
     * @param record its former handles are ignored
     * @param stored the channel as stored
     * @param listed additional former handles that a file lists for it, newest first
     */
    update(
      record: ChannelRecord,
      stored: ChannelRecord,
      listed: readonly FormerHandle[] = [],
    ): void {
      const change = { before: stored.handle, after: record.handle, listed };
      const hasChange = listed.length > 0 || !isSameHandle(record.handle, stored.handle);
      const former_handles = hasChange
        ? formerHandles.record(record.id, change, clock.now())
        : stored.former_handles;
      rows.update({ ...record, former_handles }, stored);
    },

    /**
     * Removes a channel from every answer and every search. Its row in `channels` stays, hidden,
     * for the posts and statistics that refer to it.
     */
    remove(record: ChannelRecord): void {
      rows.remove(record.id);
      formerHandles.move(record.id, null);
    },

    /**
     * Removes a channel as `remove` does, and passes its identity to another: its handles become former
     * handles there, and its current handle and messenger id are taken over if that one has none.
     */
    merge(from: ChannelRecord, into: ChannelRecord): void {
      rows.remove(from.id);
      formerHandles.move(from.id, into.id);
      const handle = into.handle ?? from.handle;
      const change = { before: from.handle, after: handle, listed: [] };
      const former_handles = formerHandles.record(into.id, change, clock.now());
      const msgr_id = messengerIdAfterMerge(from, into, ids);
      rows.update({ ...into, handle, msgr_id, former_handles }, into);
    },

    refreshText: rows.refreshText,
    writeSearch: rows.writeSearch,
  };
}

/**
 * Messenger id of the channel that remains after a merge. The two may have the same id in different
 * notations; the result is canonical, unless a third channel has that already.
 */
function messengerIdAfterMerge(
  from: ChannelRecord,
  into: ChannelRecord,
  ids: ReturnType<typeof createChannelIds>,
): string | null {
  const messengerId = into.msgr_id ?? from.msgr_id;
  const canonical = messengerId === null ? null : parseMessengerId(messengerId);
  const holder = canonical === null ? undefined : ids.byMessengerId(canonical);
  return holder === undefined || holder === into.id ? canonical : messengerId;
}
