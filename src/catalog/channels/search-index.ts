import { type Database, statement } from "../../db/database.ts";

/**
 * Search texts and the index over them, which contains public channels by number. Texts are written
 * together with each channel; `write` then updates the index, in the same transaction and in the order of
 * the channels' numbers, because FTS5 starts a new segment whenever a row's number is below the previous
 * one.
 */
export function createSearchIndex(db: Database) {
  const isIndexed = statement(
    db,
    "SELECT 1 FROM channels c CROSS JOIN channel_texts t ON t.id = c.id WHERE c.id = ? AND c.is_public = 1",
  );
  const putText = statement(
    db,
    `INSERT INTO channel_texts (id, search_text) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET search_text = excluded.search_text`,
  );
  const remove = statement(
    db,
    "DELETE FROM channel_search WHERE rowid IN (SELECT CAST(value AS INTEGER) FROM json_each(?))",
  );
  const add = statement(
    db,
    `INSERT INTO channel_search (rowid, search_text)
     SELECT t.id, t.search_text FROM channel_texts t CROSS JOIN channels c ON c.id = t.id
     WHERE c.is_public = 1 AND t.id IN (SELECT value FROM json_each(?)) ORDER BY t.id`,
  );
  /** Channels to be reindexed, each with whether the index contains it. */
  const changed = new Map<number, boolean>();

  return {
    /** Must be called before a channel is written whose text or visibility changes. */
    changing(id: number): void {
      if (!changed.has(id)) changed.set(id, isIndexed.get(id) !== undefined);
    },

    /** Stores a channel's text. Without a call of `changing` the channel counts as new to the index. */
    put(id: number, text: string): void {
      if (!changed.has(id)) changed.set(id, false);
      putText.run(id, text);
    },

    /** Updates the index for the channels written since the last call. @returns their number */
    write(): number {
      const count = changed.size;
      if (count === 0) return 0;
      const indexed = [...changed].flatMap(([id, isThere]) => (isThere ? id : []));
      if (indexed.length > 0) remove.run(JSON.stringify(indexed));
      add.run(JSON.stringify([...changed.keys()]));
      changed.clear();
      return count;
    },
  };
}
