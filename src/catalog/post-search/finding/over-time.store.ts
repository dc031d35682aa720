import { type Database, statement } from "../../../db/database.ts";
import { requireTime, WITHIN_DEADLINE } from "../../../db/deadline.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import type { Day } from "../../../values/moscow-time.ts";
import { DAY_MS, formatDay, formatInstant, startOfDay } from "../../../values/moscow-time.ts";
import { channelToken, dayOfRow, dayRow } from "../index-text.ts";
import type { OverTime, OverTimeSelection } from "../over-time.ts";
import type { Part } from "../parts.store.ts";
import { withAnyToken } from "./match-expression.ts";
import {
  type IndexQuery,
  incompleteNote,
  indexQueryOf,
  isAnyPost,
  ofCertain,
  ofDoubtful,
  partsIn,
  rowsOfPart,
  rowsOfPosts,
  sliceRows,
  stemsNote,
} from "./matches.store.ts";

/**
 * Limits for matches that are looked up, 1 to 2 us each, and that are read from the index, 0.1 us each. If there are
 * more, one in n is looked up, and months before the last one are read in slices.
 */
const LIMITS = { lookedUp: 50_000, read: 900_000 };
/**
 * Longest expression for which a part with `read` candidates is read in slices; with a tenth of them, a tenth of it.
 * Each slice begins anew, which for many stems takes longer than reading the whole part.
 */
const SLICED_LENGTH_MAX = 900;
const SLICES_OF_DAY = 2;
/** Days that tell how many candidates the others have: of fewer, a single day of news would decide. */
const DAYS_TELLING = 14;
/** Channels are estimated from every fourth post at least: every eighth misses a third to nine tenths of them. */
const CHANNELS_SAMPLED_MAX = 4;
/** Neighbours that smaller samples look up together, in half the time: mostly they share a page. */
const TOGETHER = 4;
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
  const count = (rows: readonly number[], posts: number): void => {
    for (let at = 0; at < rows.length; ) {
      const day = dayOfRow(rows[at] ?? 0);
      const end = firstFrom(rows, dayRow(day + 1), at);
      byDay[day - from] = (byDay[day - from] ?? 0) + posts * (end - at);
      at = end;
    }
  };

  const certainRows = new Map<Part, readonly number[]>();
  const certain = readSample(
    db,
    ofCertain(indexQuery),
    { ...limits, together: TOGETHER },
    (rows, weight, part) => {
      count(rows, weight);
      certainRows.set(part, rows);
    },
  );
  const found = [lookUpRows(db, certain.rows, certain.every)];
  let sampled = certain.every;
  if (texts !== null) {
    const doubtful = ofDoubtful(indexQuery);
    // If any other post may match, FTS5 would read the lists of all levels of views, and the certain matches again.
    const isAnyOther = isAnyPost(indexQuery) && certain.slicedBefore === null;
    const others = (part: Part): number[] => {
      const passed = certainRows.get(part) ?? [];
      let at = 0;
      return rowsOfPosts(db, doubtful, part).filter((row) => {
        // Both are in order.
        if (row !== passed[at]) return true;
        at += 1;
        return false;
      });
    };
    const most = { ...limits, lookedUp: TEXTS_MAX, together: 1 };
    const rowsOf = isAnyOther ? others : undefined;
    const { rows, every } = readSample(db, doubtful, most, () => {}, rowsOf);
    const tested = testRows(db, rows, texts).sort((one, other) => one - other);
    count(tested, every);
    found.push(lookUpRows(db, tested, every));
    sampled = Math.max(sampled, every);
  }

  const periodsByDay = byDay.map((_, at) => Math.max(from, startOf(from + at, group)));
  const posts = new Map<Day, number>();
  for (const [at, period] of periodsByDay.entries()) {
    posts.set(period, (posts.get(period) ?? 0) + (byDay[at] ?? 0));
  }
  const isEstimated = sampled > 1 && texts !== null;
  // A thousand texts tell too little about channels that were not seen.
  const areChannelsTold = sampled <= CHANNELS_SAMPLED_MAX && !isEstimated;
  const channels = tallied(found, channelOf);
  const periodOf = ({ rows }: Seen, at: number): Day =>
    periodsByDay[dayOfRow(rows[at] ?? 0) - from] ?? from;
  const periods = tallied(found, periodOf);
  const timesIn = areChannelsTold ? timesByPeriod(found, periodOf) : new Map<Day, number[]>();
  const channelsIn = (counted: number, times: readonly number[]): number | null =>
    counted === 0 ? 0 : areChannelsTold ? channelsOf(times, sampled) : null;
  const counted = byDay.reduce((sum, one) => sum + one, 0);
  noteKnownViews(db, found, periods, periodOf);
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
      channels: channelsIn(counted, timesIn.get(day) ?? []),
    })),
    top_channels: isSampled
      ? topChannels(db, ...ofFrequentChannels(db, indexQuery, found, channels))
      : topChannels(db, found, channels),
    note: noteOf(),
  };

  function noteOf(): Message | null {
    const { slicedBefore } = certain;
    if (isEstimated) return message("postsEstimated", { every: sampled });
    if (slicedBefore !== null)
      return message("postsSliced", { before: formatDay(dayOfRow(slicedBefore)) });
    return incompleteNote(indexQuery) ?? stemsNote();
  }
}

/** The first day of a day's period. */
function startOf(day: Day, group: OverTimeSelection["group"]): Day {
  const date = new Date(day * DAY_MS);
  if (group === "month") return day - date.getUTCDate() + 1;
  return group === "week" ? day - ((date.getUTCDay() + 6) % 7) : day;
}

/** The first position from `at` on whose row is not less; rows are ascending. */
function firstFrom(rows: readonly number[], row: number, at: number): number {
  let [low, high] = [at, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Rows of one in n candidates, such that they are not more than `lookedUp`. If there are more than `read`, judging by
 * the months after one, it is read in slices.
 * @param note called for the rows of a part that are read, ascending, and how many candidates each stands for
 * @param rowsOf reads those of a whole part
 */
function readSample(
  db: Database,
  indexQuery: IndexQuery,
  limits: typeof LIMITS & { together: number },
  note: (rows: readonly number[], weight: number, part: Part) => void,
  rowsOf = (part: Part): number[] => rowsOfPart(db, indexQuery, part),
): { rows: number[]; every: number; slicedBefore: number | null } {
  const parts = partsIn(indexQuery);
  const lengths = parts.map((part) => daysOf(part, indexQuery));
  const days = lengths.reduce((sum, one) => sum + one, 0);
  const found: { rows: readonly number[]; weight: number }[] = [];
  let [every, candidates, daysRead] = [1, 0, 0];
  let slicedBefore: number | null = null;
  for (const [at, part] of parts.entries()) {
    requireTime(db);
    const expected = daysRead < DAYS_TELLING ? 0 : (candidates * days) / daysRead;
    let weight = 1;
    const ofPart = (expected * (lengths[at] ?? 0)) / days;
    const canSlice = indexQuery.match.length * limits.read <= SLICED_LENGTH_MAX * ofPart;
    if (canSlice && expected > limits.read) {
      slicedBefore ??= part.end_row;
      // A row of a slice takes longer.
      while (weight * limits.read < 3 * expected) weight *= 2;
    }
    const slices = { every: weight, slices: SLICES_OF_DAY };
    const rows = weight === 1 ? rowsOf(part) : sliceRows(db, indexQuery, part, slices);
    note(rows, weight, part);
    found.push({ rows, weight });
    every = Math.max(every, weight);
    candidates += rows.length * weight;
    daysRead += lengths[at] ?? 0;
  }
  while (candidates > every * limits.lookedUp) every *= 2;
  return { rows: someOf(found, every, limits.together), every, slicedBefore };
}

const daysOf = ({ first_row, end_row }: Part, { low, high }: IndexQuery): number =>
  dayOfRow(Math.min(end_row, high) - 1) - dayOfRow(Math.max(first_row, low)) + 1;

/** One in `every` of the candidates, which stand for `weight` each. */
function someOf(
  found: readonly { rows: readonly number[]; weight: number }[],
  every: number,
  together: number,
): number[] {
  const group = every > CHANNELS_SAMPLED_MAX ? together : 1;
  const some: number[] = [];
  let passed = 0;
  for (const { rows, weight } of found) {
    for (let at = 0; at < rows.length; ) {
      const position = (passed + at * weight) % (every * group);
      if (position < weight * group) {
        some.push(rows[at] ?? 0);
        at += 1;
      } else {
        at += Math.ceil((every * group - position) / weight);
      }
    }
    passed += rows.length * weight;
  }
  return some;
}

/** Rows of candidates whose texts match. */
function testRows(
  db: Database,
  rows: readonly number[],
  texts: NonNullable<IndexQuery["texts"]>,
): number[] {
  const posts = statement<{ row: number; id: number }>(
    db,
    `SELECT m.row, m.post_id AS id FROM json_each(?) r CROSS JOIN searched_posts m ON m.row = r.value`,
  ).all(JSON.stringify(rows));
  texts.readAhead(posts.map(({ id }) => id));
  return posts.filter(({ id }) => texts.has(id)).map(({ row }) => row);
}

/** Matches that were looked up, by column: each as an object would take twice as long. */
interface Seen {
  rows: number[];
  channels: number[];
  publishedAt: number[];
  views: number[];
  /** How many matches each stands for. */
  weight: number;
}

function lookUpRows(db: Database, rows: readonly number[], weight: number): Seen {
  requireTime(db);
  const columns = statement<Record<"rows" | "channels" | "publishedAt" | "views", string>>(
    db,
    `SELECT json_group_array(m.row) AS rows, json_group_array(m.channel_id) AS channels,
       json_group_array(m.published_at) AS publishedAt, json_group_array(m.views) AS views
     FROM json_each(?) r CROSS JOIN searched_posts m ON m.row = r.value`,
  ).get(JSON.stringify(rows));
  const read = (column: keyof NonNullable<typeof columns>): number[] =>
    columns === undefined ? [] : (JSON.parse(columns[column]) as number[]);
  return {
    rows: read("rows"),
    channels: read("channels"),
    publishedAt: read("publishedAt"),
    views: read("views"),
    weight,
  };
}

interface Tally {
  posts: number;
  /** How many of the posts were looked up. */
  looked: number;
  views: number;
  /** Set by `noteKnownViews` if `views` is 0. */
  areViewsKnown: boolean;
  lastAt: number;
}

type KeyOf = (seen: Seen, at: number) => number;
const channelOf: KeyOf = ({ channels }, at) => channels[at] ?? 0;

function tallied(found: readonly Seen[], keyOf: KeyOf): Map<number, Tally> {
  const tallies = new Map<number, Tally>();
  for (const seen of found) {
    for (let at = 0; at < seen.rows.length; at += 1) {
      const key = keyOf(seen, at);
      let tally = tallies.get(key);
      if (tally === undefined) {
        tally = { posts: 0, looked: 0, views: 0, areViewsKnown: false, lastAt: 0 };
        tallies.set(key, tally);
      }
      const publishedAt = seen.publishedAt[at] ?? 0;
      tally.posts += seen.weight;
      tally.looked += 1;
      tally.views += seen.weight * (seen.views[at] ?? 0);
      if (tally.looked === 1 || publishedAt > tally.lastAt) tally.lastAt = publishedAt;
    }
  }
  return tallies;
}

/** How many posts that were looked up each channel has in each period; the order of channels is lost. */
function timesByPeriod(found: readonly Seen[], periodOf: KeyOf): Map<Day, number[]> {
  const numbers = new Map<number, number>();
  const keys = new Float64Array(found.reduce((sum, { rows }) => sum + rows.length, 0));
  let next = 0;
  for (const seen of found) {
    for (let at = 0; at < seen.rows.length; at += 1) {
      const channel = seen.channels[at] ?? 0;
      const number = numbers.get(channel) ?? numbers.size;
      if (number === numbers.size) numbers.set(channel, number);
      keys[next] = periodOf(seen, at) * keys.length + number;
      next += 1;
    }
  }
  keys.sort();
  const periods = new Map<Day, number[]>();
  for (let at = 0, end = 0; at < keys.length; at = end) {
    const key = keys[at] ?? 0;
    while (keys[end] === key) end += 1;
    const period = Math.floor(key / keys.length);
    const times = periods.get(period) ?? [];
    periods.set(period, times);
    times.push(end - at);
  }
  return periods;
}

/** Notes whose views are known, of tallies that have none: only the posts tell. */
function noteKnownViews(
  db: Database,
  found: readonly Seen[],
  tallies: ReadonlyMap<number, Tally>,
  keyOf: KeyOf,
): void {
  const unseen = new Map<number, Tally>();
  for (const seen of found) {
    for (const [at, row] of seen.rows.entries()) {
      const tally = tallies.get(keyOf(seen, at));
      if (tally?.views === 0) unseen.set(row, tally);
    }
  }
  const known = statement(
    db,
    `SELECT m.row FROM json_each(?) r CROSS JOIN searched_posts m ON m.row = r.value
       CROSS JOIN posts p ON p.id = m.post_id
     WHERE ${WITHIN_DEADLINE} AND p.views_at IS NOT NULL`,
  )
    .pluck<number>()
    .all(JSON.stringify([...unseen.keys()]));
  for (const row of known) {
    const tally = unseen.get(row);
    if (tally !== undefined) tally.areViewsKnown = true;
  }
}

const viewsOf = (tally: Tally | undefined): number | null =>
  tally === undefined || (tally.views === 0 && !tally.areViewsKnown) ? null : tally.views;

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
): [Seen[], Map<number, Tally>] {
  const counted = new Set<number>();
  const tallies = new Map<number, Tally>();
  let left = LIMITS.lookedUp;
  for (const [id, tally] of mostFirst(channels, COUNTED_CHANNELS)) {
    left -= tally.posts;
    if (left >= 0) counted.add(id);
    else tallies.set(id, tally);
  }
  if (counted.size === 0) return [[...sample], tallies];
  const match = withAnyToken(indexQuery.match, [...counted].map(channelToken));
  const exact = { ...indexQuery, match };
  const rows = partsIn(exact).flatMap((part) => rowsOfPart(db, exact, part));
  const all = lookUpRows(db, rows, 1);
  for (const [id, tally] of tallied([all], channelOf)) {
    tallies.set(id, tally);
  }
  return [[...sample, all], tallies];
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

function topChannels(
  db: Database,
  found: readonly Seen[],
  channels: ReadonlyMap<number, Tally>,
): OverTime["top_channels"] {
  const card = statement<OverTime["top_channels"][number]["channel"]>(
    db,
    `SELECT c.id, k.title, k.handle, c.subscribers
     FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ?`,
  );
  const top = mostFirst(channels, TOP_CHANNELS);
  noteKnownViews(db, found, new Map(top), channelOf);
  return top.flatMap(([id, tally]) => {
    const channel = card.get(id);
    if (channel === undefined) return [];
    const last_published_at = formatInstant(tally.lastAt);
    return [{ channel, posts: tally.posts, views: viewsOf(tally), last_published_at }];
  });
}
