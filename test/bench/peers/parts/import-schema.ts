import BetterSqlite3 from "better-sqlite3";
import { run } from "../processes.ts";

/** From this version on `sqlite3` knows `contentless_delete`. */
const CONTENTLESS_DELETE = [3, 43];

/**
 * The statements that make channels, cards, statistics, the search index and all that belongs to
 * them, as they stand in a database of Kanalog. An older `sqlite3` gets the search index without
 * `contentless_delete`, which inserting hardly notices.
 */
export async function importSchema(database: string): Promise<string> {
  const db = new BetterSqlite3(database, { readonly: true });
  const statements = db
    .prepare<[], string>(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
         AND tbl_name IN ('channels', 'channel_cards', 'public_cards', 'channel_search', 'daily_statistics')
       ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid`,
    )
    .pluck()
    .all();
  db.close();
  const [major = 0, minor = 0] = (await run(["sqlite3", "--version"])).split(".").map(Number);
  const [majorLeast = 0, minorLeast = 0] = CONTENTLESS_DELETE;
  const isOld = major < majorLeast || (major === majorLeast && minor < minorLeast);
  const text = statements.map((statement) => `${statement};`).join("\n");
  return isOld
    ? text
        .replace(" contentless_delete = 1,", "")
        // Only what is inserted is measured; the other triggers delete from the index.
        .replace(/CREATE TRIGGER channel_search_(update|delete)[\s\S]*?END;/g, "")
    : text;
}
