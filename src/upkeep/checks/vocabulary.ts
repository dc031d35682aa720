import type { Database } from "../../db/database.ts";

/**
 * Makes an index's vocabulary readable as a temporary table of this connection: nothing is written to the
 * file.
 * @param of the index, and the type of vocabulary table (see FTS5's `fts5vocab`)
 */
export function openVocabulary(
  db: Database,
  name: string,
  of: "channel_search, instance" | "post_search, row",
): void {
  db.pragma("query_only = OFF");
  try {
    db.exec(`CREATE VIRTUAL TABLE temp.${name} USING fts5vocab (main, ${of})`);
  } finally {
    db.pragma("query_only = ON");
  }
}
