import { type Database, statement } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { CHANNEL_COLUMNS, type ChannelRecord } from "./card.ts";
import { createChannelRows, readDirectoryIds } from "./channel-rows.store.ts";
import { createChannelIds } from "./channels.store.ts";
import { createFormerHandles, type FormerHandle, isSameHandle } from "./former-handles.store.ts";
import { parseMessengerId } from "./messenger-id.ts";

const RECORD_BY_ID = `SELECT ${CHANNEL_COLUMNS}
  FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ?`;

/**
 * Finds and writes channels, for imports; its calls come inside transactions. Before each commit
 * `writeSearch` is to be called.
 */
export function createChannelRecords(db: Database, clock: Clock) {
  const directoryIds = readDirectoryIds(db);
  const byId = statement<ChannelRecord>(db, RECORD_BY_ID);
  const rows = createChannelRows(db, directoryIds);
  const formerHandles = createFormerHandles(db);
  const ids = createChannelIds(db);
  const record = (id: number | undefined): ChannelRecord | undefined =>
    id === undefined ? undefined : byId.get(id);
  const insertRemoved = statement(
    db,
    "INSERT INTO removed_channels (id, into_id, removed_at, is_done) VALUES (?, ?, ?, 1)",
  );

  /** The messenger id of the channel that is left. Twins may have it in its two forms: one form remains. */
  function messengerIdOf(from: ChannelRecord, into: ChannelRecord): string | null {
    const kept = into.msgr_id ?? from.msgr_id;
    const canonical = kept === null ? null : parseMessengerId(kept);
    const holder = canonical === null ? undefined : ids.byMessengerId(canonical);
    return holder === undefined || holder === into.id ? canonical : kept;
  }

  return {
    hasCategory: (slug: string): boolean => directoryIds.categories.has(slug),
    hasTerritory: (slug: string): boolean => directoryIds.territories.has(slug),
    byId: (id: number) => record(ids.byId(id)),
    byMessengerId: (messengerId: string) => record(ids.byMessengerId(messengerId)),
    byHandle: (handle: string) => record(ids.byHandle(handle)),

    nextNumber: ids.nextNumber,
    wasRemoved: ids.wasRemoved,

    /** Notes the number of a channel that was deleted in another appliance, or merged into one that is here. */
    keepRemoved(id: number, intoId: number | null): void {
      insertRemoved.run(id, intoId, clock.now());
    },

    /** Those of the handles that are not known as the channel's, former or present. */
    unknownHandles: (
      { id, handle }: ChannelRecord,
      said: readonly FormerHandle[],
    ): FormerHandle[] => formerHandles.unknown(id, handle, said),

    /**
     * @param record its former handles are not read
     * @param said former handles that a file gives it, newest first
     */
    insert(record: ChannelRecord, said: readonly FormerHandle[] = []): void {
      const { id } = record;
      rows.insert(record);
      const change = { before: null, after: record.handle, said };
      const former_handles = said.length > 0 ? formerHandles.keep(id, change, clock.now()) : "";
      rows.insertCard({ ...record, former_handles });
    },

    /**
     * Writes a channel, and keeps the handle that it gives up.
     * @param given its former handles are not read
     * @param stored the channel as it is stored
     * @param said former handles that a file gives it besides, newest first
     */
    update(given: ChannelRecord, stored: ChannelRecord, said: readonly FormerHandle[] = []): void {
      const change = { before: stored.handle, after: given.handle, said };
      const hasChange = said.length > 0 || !isSameHandle(given.handle, stored.handle);
      const former_handles = hasChange
        ? formerHandles.keep(given.id, change, clock.now())
        : stored.former_handles;
      rows.update({ ...given, former_handles }, stored);
    },

    /**
     * Takes a channel out of all that is answered and found. Its row of `channels` is left, hidden, for the
     * posts and statistics that refer to it.
     */
    remove(record: ChannelRecord): void {
      rows.remove(record.id);
      formerHandles.move(record.id, null);
    },

    /**
     * Removes a channel as `remove` does, and gives another what it was known by: its handles as former
     * ones, and the present handle and messenger id as its own where it has none.
     */
    merge(from: ChannelRecord, into: ChannelRecord): void {
      rows.remove(from.id);
      formerHandles.move(from.id, into.id);
      const handle = into.handle ?? from.handle;
      const change = { before: from.handle, after: handle, said: [] };
      const former_handles = formerHandles.keep(into.id, change, clock.now());
      rows.update({ ...into, handle, msgr_id: messengerIdOf(from, into), former_handles }, into);
    },

    refreshText: rows.refreshText,
    writeSearch: rows.writeSearch,
  };
}
