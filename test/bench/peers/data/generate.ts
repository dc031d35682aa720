import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDomains } from "../../../../src/app/domains.ts";
import { createChannelRecords } from "../../../../src/catalog/channels/channel-records.store.ts";
import { recount } from "../../../../src/catalog/directory/recount.ts";
import { optimizeSearch } from "../../../../src/catalog/search/search-terms.ts";
import { readConfig } from "../../../../src/config.ts";
import { type Database, statement } from "../../../../src/db/database.ts";
import { systemClock } from "../../../../src/ports/clock.ts";
import { systemPorts } from "../../../../src/ports/ports.ts";
import { channelRecord, type DirectorySlugs, postCount } from "./channels.ts";
import { statisticsDays } from "./days.ts";
import { generatedPost } from "./posts.ts";

const CHANNELS_PER_TRANSACTION = 20_000;
/** 2 GiB, so that indexes of millions of rows are built in memory. */
const CACHE_KIB = 2 * 1024 * 1024;

/** Folder for the data of a size: Kanalog's database and those of its peers. */
function dataFolder(root: string, channels: number): string {
  return join(root, String(channels));
}

/**
 * Creates the database of a size if it is missing, with twenty times as many days of statistics as channels, and
 * five times as many posts. Channels are written by the importer's own writer, which creates the search texts; days
 * and posts by SQL, which writes the same rows as the importer.
 * @returns the file
 */
export async function ensureDatabase(
  root: string,
  channels: number,
  report: (message: string) => void,
): Promise<string> {
  const folder = dataFolder(root, channels);
  const file = join(folder, "kanalog.db");
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const unfinished = join(folder, "unfinished.db");
  for (const end of ["", "-wal", "-shm"]) rmSync(unfinished + end, { force: true });

  const config = readConfig({ KANALOG_DB: unfinished, KANALOG_LOG_LEVEL: "error" });
  const { db, clock } = await openDomains(config, systemPorts(config));
  for (const pragma of ["synchronous = OFF", `cache_size = -${CACHE_KIB}`]) {
    db.pragma(pragma);
  }
  const step = async (name: string, work: () => unknown): Promise<void> => {
    const startedAt = performance.now();
    await work();
    const seconds = (performance.now() - startedAt) / 1000;
    report(`${channels} channels: ${name} in ${seconds.toFixed(1)} s`);
  };
  await step("channels", () => writeChannels(db, channels));
  await step("statistics", () => writeDays(db, channels));
  await step("posts", () => withoutIndexes(db, "posts", () => writePosts(db, channels)));
  await step("search index", () => optimizeSearch(db, clock));
  await step("counts", () => recount(db, clock));
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  renameSync(unfinished, file);
  return file;
}

export function directorySlugs(db: Database): DirectorySlugs {
  const slugs = (sql: string): string[] =>
    statement<{ slug: string }>(db, sql)
      .all()
      .map(({ slug }) => slug);
  return {
    categories: slugs("SELECT slug FROM categories ORDER BY position"),
    // Large places first, because the first ones are picked most often.
    territories: slugs("SELECT slug FROM territories WHERE kind <> 'district' ORDER BY position"),
  };
}

export function writeChannels(db: Database, channels: number): void {
  const slugs = directorySlugs(db);
  inParts(db, channels, (first, last) => {
    const records = createChannelRecords(db, systemClock);
    for (let id = first; id <= last; id++) records.insert(channelRecord(id, slugs));
    records.writeSearch();
  });
}

function writeDays(db: Database, channels: number): void {
  const subscribersOf = db.prepare("SELECT subscribers FROM channels WHERE id = ?").raw();
  const insert = db.prepare(
    "INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts) VALUES (?, ?, ?, ?, ?)",
  );
  inParts(db, channels, (first, last) => {
    for (let id = first; id <= last; id++) {
      const subscribers = subscribersOf.get(id)?.[0] as number;
      for (const { day, subscribers: then, views, posts } of statisticsDays(id, subscribers)) {
        insert.run(id, day, then, views, posts);
      }
    }
  });
}

/** In order of time, as posts arrive, so that those of one channel are stored far apart. */
function writePosts(db: Database, channels: number): void {
  const insert = db.prepare(
    `INSERT INTO posts
       (channel_id, msgr_post_id, published_at, is_ad, views, read_at, link, text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const backMax = Math.max(...Array.from({ length: 100 }, (_, id) => postCount(id)));
  for (let back = backMax - 1; back >= 0; back--) {
    inParts(db, channels, (first, last) => {
      for (let id = first; id <= last; id++) {
        const count = postCount(id);
        if (back >= count) continue;
        const post = generatedPost(id, back, count);
        const { channel, messengerId, publishedAt, isAd, views, link, text } = post;
        insert.run(channel, messengerId, publishedAt, isAd, views, publishedAt, link, text);
      }
    });
  }
}

/** Creates the indexes after all rows, which takes a tenth of the time because the rows are sorted then. */
export function withoutIndexes(db: Database, table: string, work: () => void): void {
  const indexes = statement<{ name: string; sql: string }>(
    db,
    "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
  ).all(table);
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  work();
  for (const { sql } of indexes) db.exec(sql);
}

export function inParts(
  db: Database,
  count: number,
  write: (first: number, last: number) => void,
): void {
  for (let first = 1; first <= count; first += CHANNELS_PER_TRANSACTION) {
    db.exec("BEGIN");
    write(first, Math.min(count, first + CHANNELS_PER_TRANSACTION - 1));
    db.exec("COMMIT");
  }
}
