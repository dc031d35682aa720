import { type Database, statement } from "../../db/database.ts";
import { insertSql, updateSql } from "../../db/named-columns.ts";
import { CARD_COLUMNS, type ChannelRecord, SCANNED_COLUMNS } from "./card.ts";
import { categorySlugs } from "./channels.store.ts";
import { createSearchIndex } from "./search-index.ts";
import { searchTextOf } from "./search-text.ts";
import { hasPlaceholder, storedCard } from "./stored-card.ts";

/**
 * Writes everything stored about a channel except its former handles: its two rows, the card as shown, and
 * the search text; inside the caller's transactions.
 */
export function createChannelRows(db: Database, directoryIds: DirectoryIds) {
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

  const putText = (record: ChannelRecord): void =>
    search.put(record.id, textOf(record, directoryIds));

  return {
    /** Inserts the row in `channels`, which the others refer to. */
    insert(record: ChannelRecord): void {
      insertChannel.run(record);
    },

    insertCard(record: ChannelRecord): void {
      insertCard.run(record);
      putPublicCard(record);
      putText(record);
    },

    update(record: ChannelRecord, stored: ChannelRecord): void {
      const names = Object.keys(record) as (keyof ChannelRecord)[];
      const changed = names.filter((name) => record[name] !== stored[name]);
      // A refresh changes only numbers, which are neither in the stored card nor in the search text.
      const isRefresh = changed.every(hasPlaceholder);
      if (!isRefresh) search.changing(record.id);
      // Sets only columns that differ: SQLite rewrites a column's index even if the value is the same.
      const scanned = changed.filter((name) => SCANNED_COLUMNS.includes(name));
      if (scanned.length > 0) statement(db, updateSql("channels", scanned)).run(record);
      if (isRefresh) return;
      updateCard.run(record);
      putPublicCard(record);
      putText(record);
    },

    /**
     * Removes a channel, but keeps its row in `channels`, hidden, for the posts and statistics that refer
     * to it.
     */
    remove(id: number): void {
      search.changing(id);
      for (const removal of removals) removal.run(id);
    },

    refreshText(record: ChannelRecord): void {
      search.changing(record.id);
      putText(record);
    },

    writeSearch: search.write,
  };
}

/** Search text of a channel, whose facets need the directories' ids. */
function textOf(record: ChannelRecord, { categories, territories }: DirectoryIds): string {
  const { title, handle, kind, territory } = record;
  return searchTextOf({
    title,
    handle,
    kind,
    categoryIds: categorySlugs(record).flatMap((slug) => categories.get(slug) ?? []),
    territoryIds: territory === null ? [] : (territories.get(territory) ?? []),
    aPlus: record.a_plus === 1,
    verified: record.verified === 1,
  });
}

interface DirectoryIds {
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
