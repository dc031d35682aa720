import { type Database, statement } from "../../db/database.ts";

/**
 * Search texts and the index over them, which has public channels by their numbers. Texts are written
 * with each channel; the index is brought up to them by `write`, in the transaction that changed them,
 * so that each transaction's channels come in the order of their numbers: FTS5 begins another segment
 * at each row that comes before the one before.
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
  /** Channels whose entries are to be written, each with whether the index has it. */
  const changed = new Map<number, boolean>();

  return {
    /** To be called before the channel is written, where its text changes or whether it is public. */
    changing(id: number): void {
      if (!changed.has(id)) changed.set(id, isIndexed.get(id) !== undefined);
    },

    put(id: number, text: string): void {
      if (!changed.has(id)) changed.set(id, false);
      putText.run(id, text);
    },

    /** @returns of how many channels */
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
