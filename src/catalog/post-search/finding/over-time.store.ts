import { type Database, statement } from "../../../db/database.ts";
import { requireTime, WITHIN_DEADLINE } from "../../../db/deadline.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import {
  DAY_MS,
  type Day,
  formatDay,
  formatInstant,
  startOfDay,
} from "../../../values/moscow-time.ts";
import { channelToken, dayOfRow } from "../index-text.ts";
import type { OverTime, OverTimeSelection } from "../over-time.ts";
import type { Part } from "../parts.store.ts";
import { withAnyToken } from "./match-expression.ts";
import {
  type IndexQuery,
  indexQueryOf,
  isAnyPost,
  isIncomplete,
  ofCertain,
  ofDoubtful,
  partsIn,
  rowsOfPart,
  rowsOfPosts,
  sliceRows,
} from "./matches.store.ts";

/**
 * Limits for matches that are looked up, 1 us each, and that are read from the index, 0.1 us each. If there are
 * more, every n-th is looked up, and earlier months are read in slices.
 */
const LIMITS = { lookedUp: 50_000, read: 600_000 };
/** Longer expressions, of hundreds of stems, take too long to begin for each slice. */
const SLICED_LENGTH_MAX = 1_000;
const SLICES_OF_DAY = 2;
/** Channels are estimated from every fourth post at least: every eighth misses a third to nine tenths of them. */
const CHANNELS_SAMPLED_MAX = 4;
/** Limit for tested texts, 50 us each, of posts that may match and do not for certain. */
const TEXTS_MAX = 1_000;
const TOP_CHANNELS = 20;
/** So many of the channels that are most frequent in a sample are counted, to find the top ones. */
const COUNTED_CHANNELS = 2 * TOP_CHANNELS;

/**
 * How many posts match in each period, how often they were viewed, and whose they are. The index counts all
 * of them by their rows, which tell the days; views and channels are looked up.
 * @param limits fewer in tests
 */
export function selectOverTime(
  db: Database,
  { query, filter, group, from, to }: OverTimeSelection,
  limits = LIMITS,
): OverTime {
  const range = { fromMs: startOfDay(from), untilMs: startOfDay(to + 1) };
  const indexQuery = indexQueryOf(db, { query, filter: { ...filter, ...range } });
  const { texts } = indexQuery;
  const byDay = Array.from({ length: to - from + 1 }, () => 0);
  const count = (row: number, posts: number): void => {
    const at = dayOfRow(row) - from;
    byDay[at] = (byDay[at] ?? 0) + posts;
  };

  const certainRows: number[] = [];
  const certain = readSample(
    db,
    ofCertain(indexQuery),
    limits.lookedUp,
    limits.read,
    (row, posts) => {
      count(row, posts);
      if (texts !== null) certainRows.push(row);
    },
  );
  const found = lookUpRows(db, certain.rows, certain.every);
  let sampled = certain.every;
  if (texts !== null) {
    const doubtful = ofDoubtful(indexQuery);
    // If any other post may match, FTS5 would read the lists of all levels of views, and the certain matches again.
    const isAnyOther = isAnyPost(indexQuery) && certain.slicedBefore === null;
    let passed = 0;
    const others = (part: Part): number[] =>
      rowsOfPosts(db, doubtful, part).filter((row) => {
        // Both are read in the same order.
        if (row !== certainRows[passed]) return true;
        passed += 1;
        return false;
      });
    const rowsOf = isAnyOther ? others : undefined;
    const { rows, every } = readSample(db, doubtful, TEXTS_MAX, limits.read, () => {}, rowsOf);
    const tested = lookUpRows(db, rows, every).filter(({ id }) => texts.has(id));
    for (const { row, weight } of tested) count(row, weight);
    found.push(...tested);
    sampled = Math.max(sampled, every);
  }

  const periodsByDay = byDay.map((_, at) => Math.max(from, startOf(from + at, group)));
  const periodOf = ({ row }: Seen): Day => periodsByDay[dayOfRow(row) - from] ?? from;
  const posts = new Map<Day, number>();
  for (const [at, period] of periodsByDay.entries()) {
    posts.set(period, (posts.get(period) ?? 0) + (byDay[at] ?? 0));
  }
  const isEstimated = sampled > 1 && texts !== null;
  // A thousand texts tell too little about channels that were not seen.
  const areChannelsTold = sampled <= CHANNELS_SAMPLED_MAX && !isEstimated;
  const channels = tallied(found, ({ channel_id }) => channel_id);
  const periods = tallied(found, periodOf);
  const timesIn = timesByPeriod(areChannelsTold ? found : [], periodOf);
  const channelsIn = (counted: number, times: readonly number[]): number | null =>
    counted === 0 ? 0 : areChannelsTold ? channelsOf(times, sampled) : null;
  const counted = byDay.reduce((sum, one) => sum + one, 0);
  const known = [...periods.values()].flatMap((tally) => viewsOf(tally) ?? []);
  const times = Array.from(channels.values(), ({ looked }) => looked);
  const isSampled = sampled > 1 && !isEstimated;
  return {
    posts: counted,
    views: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0),
    channels: channelsIn(counted, times),
    sampled,
    periods: Array.from(posts, ([day, counted]) => ({
      from: formatDay(day),
      posts: counted,
      views: viewsOf(periods.get(day)),
      channels: channelsIn(counted, [...(timesIn.get(day)?.values() ?? [])]),
    })),
    top_channels: topChannels(
      db,
      isSampled ? ofFrequentChannels(db, indexQuery, found, channels) : channels,
    ),
    note: noteOf(),
  };

  function noteOf(): Message | null {
    if (isIncomplete(indexQuery)) return message("postsRenewing");
    if (isEstimated) return message("postsEstimated", { every: sampled });
    if (certain.slicedBefore === null) return null;
    return message("postsSliced", { before: formatDay(dayOfRow(certain.slicedBefore)) });
  }
}

/** The first day of a day's period. */
function startOf(day: Day, group: OverTimeSelection["group"]): Day {
  const date = new Date(day * DAY_MS);
  if (group === "month") return day - date.getUTCDate() + 1;
  return group === "week" ? day - ((date.getUTCDay() + 6) % 7) : day;
}

/**
 * Rows of every n-th candidate, such that they are not more than `most`. Once `readMax` were read, months before
 * are read in slices.
 * @param note called for the row of each candidate that is read, and how many it stands for
 * @param rowsOf reads those of a whole part
 */
function readSample(
  db: Database,
  indexQuery: IndexQuery,
  most: number,
  readMax: number,
  note: (row: number, weight: number) => void,
  rowsOf = (part: Part): number[] => rowsOfPart(db, indexQuery, part),
): { rows: number[]; every: number; slicedBefore: number | null } {
  const parts = partsIn(indexQuery);
  const canSlice = indexQuery.match.length <= SLICED_LENGTH_MAX;
  let rows: number[] = [];
  let [every, seen, read] = [1, 0, 0];
  let slicedBefore: number | null = null;
  const halve = (): void => {
    rows = rows.filter((_, at) => at % 2 === 0);
    every *= 2;
  };
  for (const [at, part] of parts.entries()) {
    requireTime(db);
    let weight = 1;
    if (canSlice && read >= readMax) {
      slicedBefore ??= part.end_row;
      // As many rows of each of these parts as if all were as large as those before.
      while (weight * readMax * at < read * parts.length) weight *= 2;
    }
    while (every < weight) halve();
    const slices = { every: weight, slices: SLICES_OF_DAY };
    const found = weight === 1 ? rowsOf(part) : sliceRows(db, indexQuery, part, slices);
    for (const row of found) {
      note(row, weight);
      if (seen % (every / weight) === 0) rows.push(row);
      seen += 1;
    }
    read += found.length;
    while (rows.length > most) halve();
  }
  return { rows, every, slicedBefore };
}

/** A match that was looked up, standing for as many as its weight. */
interface Seen {
  row: number;
  id: number;
  channel_id: number;
  published_at: number;
  views: number;
  areViewsKnown: boolean;
  weight: number;
}

function lookUpRows(db: Database, rows: readonly number[], weight: number): Seen[] {
  requireTime(db);
  const seen = statement<Omit<Seen, "weight" | "areViewsKnown">>(
    db,
    `SELECT m.row, m.post_id AS id, m.channel_id, m.published_at, m.views
     FROM json_each(?) r CROSS JOIN searched_posts m ON m.row = r.value`,
  ).all(JSON.stringify(rows));
  const unseen = seen.flatMap(({ id, views }) => (views === 0 ? [id] : []));
  const read = new Set(
    statement(
      db,
      `SELECT p.id FROM json_each(?) r CROSS JOIN posts p ON p.id = r.value
       WHERE ${WITHIN_DEADLINE} AND p.views_at IS NOT NULL`,
    )
      .pluck<number>()
      .all(JSON.stringify(unseen)),
  );
  return seen.map((one) => ({
    ...one,
    areViewsKnown: one.views > 0 || read.has(one.id),
    weight,
  }));
}

interface Tally {
  posts: number;
  /** How many of the posts were looked up. */
  looked: number;
  views: number;
  areViewsKnown: boolean;
  lastAt: number;
}

function tallied(found: readonly Seen[], keyOf: (one: Seen) => number): Map<number, Tally> {
  const tallies = new Map<number, Tally>();
  for (const one of found) {
    const key = keyOf(one);
    let tally = tallies.get(key);
    if (tally === undefined) {
      tally = { posts: 0, looked: 0, views: 0, areViewsKnown: false, lastAt: one.published_at };
      tallies.set(key, tally);
    }
    tally.posts += one.weight;
    tally.looked += 1;
    tally.views += one.weight * one.views;
    tally.areViewsKnown ||= one.areViewsKnown;
    tally.lastAt = Math.max(tally.lastAt, one.published_at);
  }
  return tallies;
}

/** How many posts that were looked up each channel has in each period. */
function timesByPeriod(
  found: readonly Seen[],
  periodOf: (one: Seen) => Day,
): Map<Day, Map<number, number>> {
  const periods = new Map<Day, Map<number, number>>();
  for (const one of found) {
    const period = periodOf(one);
    const times = periods.get(period) ?? new Map<number, number>();
    periods.set(period, times);
    times.set(one.channel_id, (times.get(one.channel_id) ?? 0) + 1);
  }
  return periods;
}

const viewsOf = (tally: Tally | undefined): number | null =>
  tally?.areViewsKnown ? tally.views : null;

/**
 * Number of channels; null if none of the posts was looked up. Of a sample it is the estimate by Chao and Lin for
 * samples without replacement, from how many channels were seen once and twice: those seen alone are too few by half
 * and more.
 * @param times how many posts of each channel were looked up
 */
function channelsOf(times: readonly number[], every: number): number | null {
  const seen = times.length;
  if (seen === 0) return null;
  if (every === 1) return seen;
  const once = times.filter((posts) => posts === 1).length;
  const twice = times.filter((posts) => posts === 2).length;
  return once === 0 ? seen : Math.round(seen + once ** 2 / (2 * twice + once / (every - 1)));
}

/**
 * All matches of the channels that are most frequent in a sample; of those with too many posts to look up, what the
 * sample has.
 */
function ofFrequentChannels(
  db: Database,
  indexQuery: IndexQuery,
  sample: readonly Seen[],
  channels: ReadonlyMap<number, Tally>,
): Map<number, Tally> {
  const top = mostFirst(channels, COUNTED_CHANNELS);
  let left = LIMITS.lookedUp;
  const counted = new Set<number>();
  for (const [id, { posts }] of top) {
    left -= posts;
    if (left >= 0) counted.add(id);
  }
  const sampled = new Set(top.flatMap(([id]) => (counted.has(id) ? [] : [id])));
  const found = sample.filter(({ channel_id }) => sampled.has(channel_id));
  if (counted.size > 0) {
    const match = withAnyToken(indexQuery.match, [...counted].map(channelToken));
    const exact = { ...indexQuery, match };
    const rows = partsIn(exact).flatMap((part) => rowsOfPart(db, exact, part));
    found.push(...lookUpRows(db, rows, 1));
  }
  return tallied(found, ({ channel_id }) => channel_id);
}

type OfChannel = readonly [id: number, tally: Tally];

const byPosts = ([id, one]: OfChannel, [otherId, other]: OfChannel): number =>
  other.posts - one.posts || other.views - one.views || id - otherId;

/** The channels with the most posts, most first: sorting all of them would take longer than looking them up. */
function mostFirst(channels: ReadonlyMap<number, Tally>, most: number): OfChannel[] {
  const top: OfChannel[] = [];
  for (const one of channels) {
    const last = top.at(most - 1);
    if (last !== undefined && byPosts(one, last) > 0) continue;
    const at = top.findIndex((other) => byPosts(one, other) < 0);
    top.splice(at === -1 ? top.length : at, 0, one);
    if (top.length > most) top.pop();
  }
  return top;
}

function topChannels(db: Database, channels: ReadonlyMap<number, Tally>): OverTime["top_channels"] {
  const card = statement<OverTime["top_channels"][number]["channel"]>(
    db,
    `SELECT c.id, k.title, k.handle, c.subscribers
     FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ?`,
  );
  return mostFirst(channels, TOP_CHANNELS).flatMap(([id, tally]) => {
    const channel = card.get(id);
    if (channel === undefined) return [];
    const last_published_at = formatInstant(tally.lastAt);
    return [{ channel, posts: tally.posts, views: viewsOf(tally), last_published_at }];
  });
}
