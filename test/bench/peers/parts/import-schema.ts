import BetterSqlite3 from "better-sqlite3";
import { run } from "../processes.ts";

/** From this version on `sqlite3` knows `contentless_delete`. */
const CONTENTLESS_DELETE = [3, 43];

/** SQL for an empty database of `sqlite3`. */
interface ImportSchema {
  /** Makes channels, cards, statistics and the search index with their indexes, and nothing that follows them. */
  tables: string;
  /**
   * Has `.import` itself write the search index, by a trigger: in the order of ids, since FTS5 is slow
   * with rows that come in no order.
   */
  searchAlong: string;
  /** Writes the search index in one statement, once the channels are imported. */
  searchAfterwards: string;
}

/** A column that is computed, which a table must not have that `.import` writes; indexes compute it. */
const IS_CHAT = /,\s*is_chat INTEGER[\s\S]*?VIRTUAL/;

/**
 * As in a database of Kanalog, but for the column `is_chat`. An older `sqlite3` gets the search index
 * without `contentless_delete`, which inserting hardly notices.
 */
export async function importSchema(database: string): Promise<ImportSchema> {
  const db = new BetterSqlite3(database, { readonly: true });
  const statements = db
    .prepare<[], string>(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'trigger'
         AND tbl_name IN ('channels', 'channel_cards', 'channel_texts', 'public_cards', 'channel_search',
           'daily_statistics')
       ORDER BY type = 'index', rowid`,
    )
    .pluck()
    .all();
  db.close();
  const [major = 0, minor = 0] = (await run(["sqlite3", "--version"])).split(".").map(Number);
  const [majorLeast = 0, minorLeast = 0] = CONTENTLESS_DELETE;
  const isOld = major < majorLeast || (major === majorLeast && minor < minorLeast);
  const text = statements.map((statement) => `${statement};`).join("\n");
  if (!IS_CHAT.test(text)) throw new Error("channels have no is_chat");
  const tables = text.replace(IS_CHAT, "").replaceAll(/\(is_chat\b/g, "((kind = 'chat')");
  return {
    tables: isOld ? tables.replace(" contentless_delete = 1,", "") : tables,
    searchAlong:
      "CREATE TRIGGER search_along AFTER INSERT ON channel_texts" +
      " WHEN (SELECT is_public FROM channels WHERE id = new.id) = 1 BEGIN" +
      " INSERT INTO channel_search (rowid, search_text) VALUES (new.id, new.search_text); END;\n",
    searchAfterwards:
      "INSERT INTO channel_search (rowid, search_text) SELECT t.id, t.search_text" +
      " FROM channel_texts t JOIN channels c ON c.id = t.id WHERE c.is_public = 1 ORDER BY t.id;\n",
  };
}
