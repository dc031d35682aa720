import BetterSqlite3 from "better-sqlite3";
import { run } from "../processes.ts";

/** First version of `sqlite3` with `contentless_delete`. */
const CONTENTLESS_DELETE = [3, 43];

/** SQL for an empty database that `sqlite3` fills. */
interface ImportSchema {
  /** Creates channels, cards, statistics and the search index with their indexes, without Kanalog's triggers. */
  tables: string;
  /**
   * Creates a trigger by which `.import` itself writes the search index, in the order of ids, because FTS5 is slow
   * with unordered rows.
   */
  searchAlong: string;
  /** Writes the search index in one statement, after the channels are imported. */
  searchAfterwards: string;
}

/** A generated column, which `.import` cannot handle; the indexes compute it instead. */
const IS_CHAT = /,\s*(?:--[^\n]*\n\s*)*is_chat INTEGER[\s\S]*?VIRTUAL/;

/**
 * The schema of a database of Kanalog, except for the column `is_chat`. For an older `sqlite3` the search index has
 * no `contentless_delete`, which hardly affects inserting.
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
