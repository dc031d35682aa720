import type { Database } from "../../db/database.ts";

/**
 * Makes the vocabulary of an index readable as a table of this connection's own: nothing is written to the file.
 * @param of the index, and what a row of the vocabulary is for (FTS5's documentation of `fts5vocab`)
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
