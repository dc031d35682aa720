import { type Database, statement } from "../../db/database.ts";
import { insertSql, updateSql } from "../../db/statement.ts";
import type { Clock } from "../../ports/clock.ts";
import { CARD_COLUMNS, CHANNEL_COLUMNS, type ChannelRecord, SCANNED_COLUMNS } from "./card.ts";
import { categorySlugs, createChannelIds } from "./channels.store.ts";
import { createFormerHandles, type FormerHandle, isSameHandle } from "./handles.store.ts";
import { createRemovedChannels } from "./removed-channels.store.ts";
import { createSearchIndex, facetsOf, searchTextOf } from "./search-text.ts";
import { hasPlaceholder, storedCard } from "./stored-card.ts";

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
  const removed = createRemovedChannels(db);

  const record = (id: number | undefined): ChannelRecord | undefined =>
    id === undefined ? undefined : byId.get(id);

  return {
    hasCategory: (slug: string): boolean => directoryIds.categories.has(slug),
    hasTerritory: (slug: string): boolean => directoryIds.territories.has(slug),
    byId: (id: number) => record(ids.byId(id)),
    byMessengerId: (messengerId: string) => record(ids.byMessengerId(messengerId)),
    byHandle: (handle: string) => record(ids.byHandle(handle)),

    nextNumber: ids.nextNumber,
    removed,

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
      const msgr_id = into.msgr_id ?? from.msgr_id;
      rows.update({ ...into, handle, msgr_id, former_handles }, into);
    },

    refreshFacets: rows.refreshFacets,
    writeSearch: rows.writeSearch,
  };
}

/** Fields that the search index depends on. */
const INDEXED: readonly (keyof ChannelRecord)[] = ["title", "handle", "is_public"];

/**
 * Writes everything stored about a channel except its former handles: its two rows, the card as shown, and
 * the search text; inside the caller's transactions.
 */
function createChannelRows(db: Database, directoryIds: DirectoryIds) {
  const search = createSearchIndex(db);
  const insertChannel = statement(db, insertSql("channels", SCANNED_COLUMNS));
  const insertCard = statement(db, insertSql("channel_cards", CARD_COLUMNS));
  const updateCard = statement(db, updateSql("channel_cards", CARD_COLUMNS));
  const savePublicCard = statement(
    db,
    `INSERT INTO public_cards (id, json) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET json = excluded.json`,
  );
  const removePublicCard = statement(db, "DELETE FROM public_cards WHERE id = ?");
  const removals = [
    removePublicCard,
    statement(db, "DELETE FROM channel_texts WHERE id = ?"),
    statement(db, "DELETE FROM channel_cards WHERE id = ?"),
    statement(db, "UPDATE channels SET is_public = 0 WHERE id = ?"),
  ];

  function putPublicCard(record: ChannelRecord): void {
    if (record.is_public === 1) savePublicCard.run(record.id, storedCard(record));
    else removePublicCard.run(record.id);
  }

  function putTexts(record: ChannelRecord): void {
    const { text, facets } = textsOf(record, directoryIds);
    search.put(record.id, text, facets);
  }

  return {
    /** Inserts the row in `channels`, which the others refer to. */
    insert(record: ChannelRecord): void {
      insertChannel.run(record);
    },

    insertCard(record: ChannelRecord): void {
      search.adding(record.id);
      insertCard.run(record);
      putPublicCard(record);
      putTexts(record);
    },

    update(record: ChannelRecord, stored: ChannelRecord): void {
      const names = Object.keys(record) as (keyof ChannelRecord)[];
      const changed = names.filter((name) => record[name] !== stored[name]);
      // A refresh changes only numbers, which are neither in the stored card nor in the search text.
      const isRefresh = changed.every(hasPlaceholder);
      if (INDEXED.some((name) => changed.includes(name))) search.changing(record.id);
      // Sets only columns that differ: SQLite rewrites a column's index even if the value is the same.
      const scanned = changed.filter((name) => SCANNED_COLUMNS.includes(name));
      if (scanned.length > 0) statement(db, updateSql("channels", scanned)).run(record);
      if (isRefresh) return;
      updateCard.run(record);
      putPublicCard(record);
      putTexts(record);
    },

    /**
     * Removes a channel, but keeps its row in `channels`, hidden, for the posts and statistics that refer
     * to it.
     */
    remove(id: number): void {
      search.changing(id);
      for (const removal of removals) removal.run(id);
    },

    refreshFacets: putTexts,

    writeSearch: search.write,
  };
}

/** The search text and the facets of a channel, by which it is found. */
export function textsOf(
  record: ChannelRecord,
  { categories, territories }: DirectoryIds,
): { text: string; facets: string } {
  const { territory } = record;
  return {
    text: searchTextOf(record.title, record.handle),
    facets: facetsOf({
      categoryIds: categorySlugs(record).flatMap((slug) => categories.get(slug) ?? []),
      territoryIds: territory === null ? [] : (territories.get(territory) ?? []),
      aPlus: record.a_plus === 1,
      verified: record.verified === 1,
    }),
  };
}

export interface DirectoryIds {
  categories: Map<string, number>;
  /** Each with the ids of the entry and of all its ancestors. */
  territories: Map<string, number[]>;
}

export function readDirectoryIds(db: Database): DirectoryIds {
  const categories = new Map(
    statement<{ slug: string; id: number }>(db, "SELECT slug, id FROM categories")
      .all()
      .map(({ slug, id }) => [slug, id]),
  );
  const nodes = statement<{ slug: string; id: number; path: string }>(
    db,
    "SELECT slug, id, path FROM territories",
  ).all();
  const ids = new Map(nodes.map(({ slug, id }) => [slug, id]));
  const territories = new Map(
    nodes.map(({ slug, path }) => [slug, path.split("/").flatMap((above) => ids.get(above) ?? [])]),
  );
  return { categories, territories };
}
