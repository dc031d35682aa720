import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS, type Day, dayOf, HOUR_MS, startOfDay } from "../../values/moscow-time.ts";
import { termsOf } from "./terms.ts";
import {
  countedDays,
  eachOfDay,
  forgetDaysOutside,
  lastChannel,
  publicChannels,
  readMade,
  saveDay,
  saveMade,
  type TextRow,
  textsOf,
} from "./trends.store.ts";
import {
  COMPARED_DAYS,
  COUNTED_MIN,
  expectedIn,
  HOURS_MAX,
  hourOf,
  isOfCommonWords,
  type Made,
  POSTS_OF_CHANNEL_MAX,
  rises,
  SOUGHT_HOURS,
  surprise,
  type Term,
  type Use,
} from "./trends.ts";

/** Channels to look for at a time, and posts after which others get the processor for a moment. */
const CHANNELS_PER_READ = 200;
const POSTS_PER_PAUSE = 200;
const PAUSE_MS = 2;
/** Processor time after which no further day is counted in the same run. */
const DAYS_MS = 15_000;
const TERMS_MAX = 1_000;
/** Uses to store, which take some 40 bytes each before they are packed. */
const USES_MAX = 60_000;

/**
 * Finds the words and pairs of words that far more channels use than usual. A day that words are compared
 * with is counted once; the last day is counted anew in each run, and what rises is then looked up exactly in the
 * last 72 hours. Channels are read one after another, so that counting each once takes no memory for each.
 */
export async function makeTrends(db: Database, clock: Clock): Promise<void> {
  const madeAt = clock.now();
  const lastHour = hourOf(madeAt);
  await countDays(db, clock, dayOf((lastHour - HOURS_MAX + 1) * HOUR_MS) - 1);
  const made = { madeAt, lastHour, comparedDays: comparedDays(db).length };
  const sought = made.comparedDays === 0 ? [] : await seek(db, clock, lastHour);
  const found = await lookUp(db, clock, lastHour, withEarlier(db, sought, lastHour));
  await inTransaction(db, clock, "trends", (tx) =>
    saveMade(tx, { ...made, ...found } satisfies Made),
  );
}

/**
 * Counts days that are not counted yet, the latest first, as far as one run may; otherwise the day that was
 * counted longest ago, since posts may have been imported meanwhile.
 */
async function countDays(db: Database, clock: Clock, last: Day): Promise<void> {
  const first = last - COMPARED_DAYS + 1;
  await inTransaction(db, clock, "trends", (tx) => forgetDaysOutside(tx, first, last));
  const counted = countedDays(db).map(({ day }) => day);
  const all = Array.from({ length: COMPARED_DAYS }, (_, back) => last - back);
  const missing = all.filter((day) => !counted.includes(day));
  const begunMs = clock.processor();
  for (const day of missing.length === 0 ? counted.slice(0, 1) : missing) {
    const { counts, active } = await count(db, clock, startOfDay(day), startOfDay(day) + DAY_MS);
    await inTransaction(db, clock, "trends", (tx) =>
      saveDay(tx, { day, channels: active, countedAt: clock.now() }, counts),
    );
    if (clock.processor() - begunMs > DAYS_MS) break;
  }
}

/** Days with posts. */
function comparedDays(db: Database): Day[] {
  return countedDays(db).flatMap(({ day, channels }) => (channels > 0 ? [day] : []));
}

/** Passes the posts of each channel that has any between two instants. */
async function eachChannel(
  db: Database,
  clock: Clock,
  [fromMs, untilMs]: readonly [number, number],
  each: (posts: TextRow[]) => void,
): Promise<void> {
  let [after, read] = [0, 0];
  while (true) {
    const channels = publicChannels(db, after, CHANNELS_PER_READ);
    for (const channel of channels) {
      const posts = textsOf(db, channel, [fromMs, untilMs]);
      if (posts.length > 0) each(posts);
      read += posts.length;
      if (read < POSTS_PER_PAUSE) continue;
      await clock.sleep(PAUSE_MS);
      read = 0;
    }
    if (channels.length < CHANNELS_PER_READ) return;
    after = channels.at(-1) ?? after;
  }
}

/** Terms that channels use between two instants, if at least three do, and how many channels wrote. */
async function count(db: Database, clock: Clock, fromMs: number, untilMs: number) {
  const counter = createCounter(lastChannel(db));
  let active = 0;
  await eachChannel(db, clock, [fromMs, untilMs], (posts) => {
    active += 1;
    const own = new Set<string>();
    for (const { text } of posts) for (const term of termsOf(text).keys()) own.add(term);
    for (const term of own) counter.add(term);
  });
  return { counts: counter.counts, active };
}

const CELLS = { least: 2 ** 20, ofChannel: 2 ** 12, most: 2 ** 26 };

/**
 * Counts terms without keeping those that only one or two channels use, nearly all: these are counted by their
 * hash alone. Where two share a cell, which happens to one in a hundred at 300,000 posts, a term may count up
 * to two channels too many.
 */
function createCounter(channels: number) {
  let size = CELLS.least;
  while (size < CELLS.most && size < channels * CELLS.ofChannel) size *= 2;
  const cells = new Uint8Array(size);
  const counts = new Map<string, number>();
  return {
    counts,
    add(term: string): void {
      const known = counts.get(term);
      if (known !== undefined) {
        counts.set(term, known + 1);
        return;
      }
      const cell = hashOf(term) & (size - 1);
      const seen = (cells[cell] ?? 0) + 1;
      if (seen < COUNTED_MIN) cells[cell] = seen;
      else counts.set(term, seen);
    },
  };
}

function hashOf(term: string): number {
  let hash = 0;
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash, 31) + term.charCodeAt(at);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 3;
}

type Sought = Pick<Term, "term" | "mean" | "rose">;

/** Terms that rise in the last hours, the most surprising first. */
async function seek(db: Database, clock: Clock, lastHour: number): Promise<Sought[]> {
  const found = new Map<string, Sought & { score: number }>();
  for (const hours of SOUGHT_HOURS) {
    const from = (lastHour - hours + 1) * HOUR_MS;
    const { counts, active } = await count(db, clock, from, (lastHour + 1) * HOUR_MS);
    const means = meansOf(db, counts);
    for (const [term, channels] of counts) {
      const mean = means.get(term) ?? 0;
      const expected = expectedIn(hours, mean);
      if (!rises(channels, expected)) continue;
      if (isOfCommonWords(term, (word) => counts.get(word) ?? 0, active)) continue;
      const score = Math.max(surprise(channels, expected), found.get(term)?.score ?? 0);
      found.set(term, { term, mean, rose: lastHour, score });
    }
  }
  return [...found.values()].sort((one, other) => other.score - one.score).slice(0, TERMS_MAX);
}

/** Channels that use each of some terms on a day, the mean of the days with posts. */
function meansOf(db: Database, terms: { has(term: string): boolean }): Map<string, number> {
  const days = comparedDays(db);
  const sums = new Map<string, number>();
  for (const day of days) {
    eachOfDay(db, day, (term, channels) => {
      if (terms.has(term)) sums.set(term, (sums.get(term) ?? 0) + channels);
    });
  }
  return new Map(Array.from(sums, ([term, sum]) => [term, sum / days.length]));
}

/** Adds what rose earlier within the longest window. */
function withEarlier(db: Database, sought: readonly Sought[], lastHour: number): Sought[] {
  const known = new Set(sought.map(({ term }) => term));
  const earlier = (readMade(db)?.terms ?? [])
    .filter(({ term, rose }) => rose > lastHour - HOURS_MAX && !known.has(term))
    .sort((one, other) => other.rose - one.rose);
  const means = meansOf(db, new Set(earlier.map(({ term }) => term)));
  return [
    ...sought,
    ...earlier.map(({ term, rose }) => ({ term, rose, mean: means.get(term) ?? 0 })),
  ].slice(0, TERMS_MAX);
}

/** Who used some terms in the last 72 hours, and in which form. */
async function lookUp(
  db: Database,
  clock: Clock,
  lastHour: number,
  sought: readonly Sought[],
): Promise<Pick<Made, "terms" | "cutChannels">> {
  const found = new Map(
    sought.map((one) => [
      one.term,
      { ...one, forms: new Map<string, number>(), uses: [] as Use[] },
    ]),
  );
  const span = [(lastHour - HOURS_MAX + 1) * HOUR_MS, (lastHour + 1) * HOUR_MS] as const;
  let cutChannels = 0;
  if (found.size > 0) {
    await eachChannel(db, clock, span, (posts) => {
      if (posts.length === POSTS_OF_CHANNEL_MAX) cutChannels += 1;
      for (const post of posts) {
        for (const [term, form] of termsOf(post.text)) {
          const one = found.get(term);
          if (one === undefined) continue;
          one.forms.set(form, (one.forms.get(form) ?? 0) + 1);
          addUse(one.uses, post);
        }
      }
    });
  }
  let uses = 0;
  const terms = [...found.values()].flatMap(({ forms, ...one }) => {
    uses += one.uses.length;
    const [form] = [...forms].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? [""];
    return uses > USES_MAX ? [] : [{ ...one, form }];
  });
  return { terms, cutChannels };
}

/** Adds a post to the uses of a term, which are in order of channel and time. */
function addUse(uses: Use[], { channel, id, published_at, views }: TextRow): void {
  const hour = hourOf(published_at);
  const last = uses.at(-1);
  if (last === undefined || last[0] !== hour || last[1] !== channel) {
    uses.push([hour, channel, 1, views, id, views]);
    return;
  }
  const [, , posts, sum, bestId, bestViews] = last;
  const best = views > bestViews ? ([id, views] as const) : ([bestId, bestViews] as const);
  uses[uses.length - 1] = [hour, channel, posts + 1, sum + views, ...best];
}
