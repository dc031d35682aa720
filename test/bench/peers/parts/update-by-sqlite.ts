import { rmSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { run } from "../processes.ts";

const TABLE = `
  CREATE TABLE channels (
    id INTEGER PRIMARY KEY, is_chat INTEGER, is_public INTEGER, subscribers INTEGER,
    quality REAL, citation REAL, last_post_at INTEGER
  );
  INSERT INTO channels SELECT id, kind = 'chat', is_public, subscribers, quality, citation, last_post_at
    FROM given.channels;
  CREATE INDEX by_subscribers ON channels (is_chat, subscribers DESC) WHERE is_public = 1;
  CREATE INDEX by_quality ON channels (is_chat, quality DESC) WHERE is_public = 1;
  CREATE INDEX by_citation ON channels (is_chat, citation DESC) WHERE is_public = 1;
  CREATE INDEX by_last_post ON channels (is_chat, last_post_at DESC) WHERE is_public = 1;
  CREATE TABLE refreshed (id INTEGER PRIMARY KEY, subscribers INTEGER, last_post_at INTEGER);
  INSERT INTO refreshed SELECT id, subscribers, last_post_at FROM temp.rows;
`;

const UPDATE = `
  UPDATE channels SET subscribers = r.subscribers, last_post_at = r.last_post_at
  FROM refreshed r WHERE r.id = channels.id`;

/**
 * Has `sqlite3` update all rows of a table that only has what the catalog orders by, with new numbers from another
 * table, in one statement.
 * @param database Kanalog's, from which the channels are copied
 * @param file the new numbers, as written by `writeRefreshed`
 */
export async function updateBySqlite(database: string, file: string): Promise<{ seconds: number }> {
  const path = `${database}-bare`;
  const db = new BetterSqlite3(path);
  try {
    db.pragma("journal_mode = WAL");
    db.exec(`ATTACH '${database}' AS given`);
    db.exec("CREATE TEMP TABLE rows (id INTEGER, subscribers INTEGER, last_post_at INTEGER)");
    const insert = db.prepare("INSERT INTO temp.rows VALUES (?, ?, ?)");
    const [, ...lines] = (await Bun.file(file).text()).trim().split("\n");
    db.exec("BEGIN");
    for (const line of lines) {
      const [id = "", subscribers = "", at = ""] = line.split(",");
      insert.run(Number(id), Number(subscribers), at === "" ? null : Date.parse(at));
    }
    db.exec(`COMMIT; ${TABLE}`);
    db.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
  const startedAt = performance.now();
  await run(["sqlite3", "-bail", path, UPDATE]);
  const seconds = (performance.now() - startedAt) / 1000;
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  return { seconds };
}
