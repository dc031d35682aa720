import { type Database, statement } from "../../db/database.ts";
import { dayOf, HOUR_MS, startOfDay } from "../../values/moscow-time.ts";
import { type PostRecord, VIEW_AGES } from "./post.ts";
import type { Habits, HabitsSelection } from "./posts.ts";

/** Limit for the posts examined, the newest of a period: so many take some 5 ms. */
const HABITS_POSTS_MAX = 2_000;
const BEST_MAX = 5;
const HOURS = 24;
const WEEK_DAYS = 7;
/** Day of the week of 1970-01-01, a Thursday, counted from Monday as 0. */
const FIRST_WEEK_DAY = 3;

type Row = {
  id: number;
  published_at: number;
  views: number;
  is_ad: number;
} & Pick<PostRecord, (typeof VIEW_AGES)[number][0]>;

export function selectHabits(
  db: Database,
  { channelId, fromMs, untilMs }: HabitsSelection,
): Habits {
  const sql = `SELECT id, published_at, views, is_ad, ${VIEW_AGES.map(([name]) => name).join(", ")}
    FROM posts
    WHERE channel_id = ? AND published_at >= ? AND published_at < ?
    ORDER BY published_at DESC, id DESC LIMIT ?`;
  const rows = statement<Row>(db, sql).all(channelId, fromMs, untilMs, HABITS_POSTS_MAX + 1);
  const isMore = rows.length > HABITS_POSTS_MAX;
  if (isMore) rows.pop();
  const hours = new Array<number>(WEEK_DAYS * HOURS).fill(0);
  for (const { published_at } of rows) {
    const hour = hourOfWeek(published_at);
    hours[hour] = (hours[hour] ?? 0) + 1;
  }
  const ads = rows.filter((row) => row.is_ad === 1);
  const viewed = rows.filter(({ views }) => views > 0);
  viewed.sort((one, other) => other.views - one.views);
  return {
    posts: rows.length,
    isMore,
    ads: ads.length,
    reach: VIEW_AGES.flatMap(([name, hours]) => {
      const all = reachOf(rows, name);
      return all === null ? [] : [{ hours, all, ads: reachOf(ads, name) }];
    }),
    hours,
    best: viewed.slice(0, BEST_MAX).map(({ id }) => id),
  };
}

function reachOf(rows: readonly Row[], name: (typeof VIEW_AGES)[number][0]) {
  const read = rows.flatMap((row) => row[name] ?? []);
  if (read.length === 0) return null;
  const views = read.reduce((sum, one) => sum + one, 0);
  return { views: Math.round(views / read.length), posts: read.length };
}

function hourOfWeek(instantMs: number): number {
  const day = dayOf(instantMs);
  const hour = Math.floor((instantMs - startOfDay(day)) / HOUR_MS);
  return ((day + FIRST_WEEK_DAY) % WEEK_DAYS) * HOURS + hour;
}
