import { type Database, statement } from "../../db/database.ts";
import { type JsonText, toJsonText } from "../../values/json-text.ts";
import { onceEach } from "../../values/kept-briefly.ts";
import { type Day, formatDay, startOfDay } from "../../values/moscow-time.ts";
import type { DailyStatisticsView, StatisticsSpan } from "./statistics.ts";

export interface StatisticsSelection {
  /** Distinct service numbers, in the order of the answer; unknown ones are omitted. */
  channelIds: readonly number[];
  from: Day;
  /** Inclusive. */
  to: Day;
}

const SHORT_CHANNELS = 10;
const SHORT_DAYS = 366;

/**
 * Whether so little is read (a year of one channel at most) that a thread would cost more than the query.
 */
export function isShort({ channelIds, from, to }: StatisticsSelection): boolean {
  return channelIds.length <= SHORT_CHANNELS && channelIds.length * (to - from + 1) <= SHORT_DAYS;
}

/**
 * Days of public channels, by channel in the given order, then by day. Without a deadline, because checking
 * it would cost as much as reading: callers request some ten thousand days at most (statistics.ts).
 */
export function selectDailyStatistics(
  db: Database,
  { channelIds, from, to }: StatisticsSelection,
): JsonText<DailyStatisticsView[]> {
  const isPublic = statement(db, "SELECT 1 FROM channels WHERE id = ? AND is_public = 1");
  const days = statement<Omit<GivenDay, "channelId">>(
    db,
    `SELECT s.day, s.subscribers, s.views, s.posts FROM daily_statistics s
     WHERE s.channel_id = ? AND s.day BETWEEN ? AND ? ORDER BY s.day`,
  );
  const dayText = onceEach(formatDay);
  const views: DailyStatisticsView[] = [];
  for (const channel of channelIds) {
    if (isPublic.get(channel) === undefined) continue;
    for (const { day, subscribers, views: viewCount, posts } of days.all(channel, from, to)) {
      views.push({ channel, day: dayText(day), subscribers, views: viewCount, posts });
    }
  }
  return toJsonText(views);
}

/** Null if there is no such channel. */
export function selectStatisticsSpan(db: Database, channelId: number): StatisticsSpan | null {
  const sql = `SELECT (SELECT min(day) FROM daily_statistics WHERE channel_id = c.id) AS first,
      (SELECT max(day) FROM daily_statistics WHERE channel_id = c.id) AS last
    FROM channels c WHERE c.id = ? AND c.is_public = 1`;
  const span = statement<StatisticsSpan>(db, sql);
  return span.get(channelId) ?? null;
}

export interface GivenDay {
  channelId: number;
  day: Day;
  subscribers: number;
  views: number;
  posts: number;
}

export interface StatisticsRecord extends GivenDay {
  /** 1 if an import gave the views; 0 if they are derived from the day's posts. */
  viewsGiven: number;
  /** The same for the number of posts. */
  postsGiven: number;
}

export const DAYS_PER_INSERT = 50;

/** Finds and writes days for imports, inside the caller's transactions. */
export function createStatisticsRecords(db: Database) {
  const find = statement<Omit<StatisticsRecord, "channelId" | "day">>(
    db,
    `SELECT subscribers, views, posts, views_given AS viewsGiven, posts_given AS postsGiven
     FROM daily_statistics WHERE channel_id = ? AND day = ?`,
  );
  const add = statement(
    db,
    `INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (channel_id, day) DO NOTHING`,
  );
  const save = statement(
    db,
    `INSERT INTO daily_statistics
       (channel_id, day, subscribers, views, posts, views_given, posts_given)
     VALUES (@channelId, @day, @subscribers, @views, @posts, @viewsGiven, @postsGiven)
     ON CONFLICT (channel_id, day) DO UPDATE SET
       subscribers = excluded.subscribers, views = excluded.views, posts = excluded.posts,
       views_given = excluded.views_given, posts_given = excluded.posts_given`,
  );
  const ofPosts = statement<{ views: number; posts: number }>(
    db,
    `SELECT coalesce(sum(views), 0) AS views, count(*) AS posts FROM posts
     WHERE channel_id = ? AND published_at >= ? AND published_at < ?`,
  );
  const addAll = statement(
    db,
    `INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts)
     VALUES ${Array(DAYS_PER_INSERT).fill("(?, ?, ?, ?, ?)").join(", ")}`,
  );
  return {
    find: (channelId: number, day: Day) => find.get(channelId, day),

    /**
     * Adds exactly `DAYS_PER_INSERT` days, in half the time of adding each. Returns false, and adds none,
     * if one already exists or occurs twice.
     */
    addAll(records: readonly GivenDay[]): boolean {
      const values: number[] = [];
      for (const { channelId, day, subscribers, views, posts } of records) {
        values.push(channelId, day, subscribers, views, posts);
      }
      try {
        addAll.run(values);
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    },

    /** Adds a day; returns false, and leaves it as it is, if it already exists. */
    add: ({ channelId, day, subscribers, views, posts }: GivenDay): boolean =>
      add.run(channelId, day, subscribers, views, posts).changes === 1,

    save(record: StatisticsRecord): void {
      save.run(record);
    },

    ofPosts: (channelId: number, day: Day): { views: number; posts: number } =>
      ofPosts.get(channelId, startOfDay(day), startOfDay(day + 1)) ?? { views: 0, posts: 0 },
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_PRIMARYKEY";
}

/** The next days after a position, by channel and day; read row by row. */
export function daysAfter(
  db: Database,
  [channelId, day]: readonly [channelId: number, day: Day],
  limit: number,
): Iterable<StatisticsRecord> {
  const sql = `SELECT s.channel_id AS channelId, s.day, s.subscribers, s.views, s.posts,
      s.views_given AS viewsGiven, s.posts_given AS postsGiven
    FROM daily_statistics s WHERE (s.channel_id, s.day) > (?, ?)
    ORDER BY s.channel_id, s.day LIMIT ?`;
  return statement<StatisticsRecord>(db, sql).iterate(channelId, day, limit);
}

export interface LatestSelection {
  channelIds: readonly number[];
  /** First day that may be shown; null for any. */
  since: Day | null;
  /** Limit for each channel. */
  limit: number;
}

/** Subscribers at each channel's last readings, oldest first. */
export function selectLatest(
  db: Database,
  { channelIds, since, limit }: LatestSelection,
): Map<number, number[]> {
  const sql = `SELECT subscribers FROM daily_statistics
    WHERE channel_id = ? AND day >= ? ORDER BY day DESC LIMIT ?`;
  const latest = statement<{ subscribers: number }>(db, sql);
  return new Map(
    channelIds.map((id) => {
      const rows = latest.all(id, since ?? Number.NEGATIVE_INFINITY, limit);
      return [id, rows.map(({ subscribers }) => subscribers).reverse()];
    }),
  );
}
