import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS, type Day, dayOf, HOUR_MS, startOfDay } from "../../values/moscow-time.ts";
import { type Counted, countTerms, eachChannel, NOTHING, PAUSE_MS } from "./count-terms.ts";
import { hashOfTerm, readTerms, termAsWritten, termOf } from "./terms.ts";
import {
  countedDays,
  eachOfDay,
  forgetDaysOutside,
  packedCounts,
  packedMade,
  readMade,
  saveDay,
  saveMade,
  type TextRow,
} from "./trends.store.ts";
import type { Made, Term, Use, Usual } from "./trends.ts";
import {
  COMPARED_DAYS,
  HOURS_MAX,
  hourOf,
  isOfCommonWords,
  mostIn,
  NEW_TERM,
  POSTS_OF_CHANNEL_MAX,
  rises,
  SOUGHT_HOURS,
  surprise,
} from "./trends.ts";

/** Processor time after which no further day is counted in the same run. */
const DAYS_MS = 30_000;
/** Processor time of counting days after which the next run finds the words: both would take over a minute. */
const DAYS_BESIDE_FINDING_MS = 10_000;
const TERMS_MAX = 1_000;
/** Uses to store, which take some 40 bytes each before they are packed. */
const USES_MAX = 60_000;

/**
 * Finds the words and pairs of words that far more channels use than usual. A day that words are compared
 * with is counted once; the last day is counted anew in each run, and what rises is then looked up exactly in the
 * last 72 hours. A run whose days took long leaves that to the next. Channels are read one after another, so that
 * counting each once takes no memory for each.
 */
export async function makeTrends(db: Database, clock: Clock): Promise<void> {
  const madeAt = clock.now();
  const lastHour = hourOf(madeAt);
  const begunMs = clock.processor();
  await countDays(db, clock, dayOf((lastHour - HOURS_MAX + 1) * HOUR_MS) - 1);
  if (clock.processor() - begunMs > DAYS_BESIDE_FINDING_MS) return;
  const made = { madeAt, lastHour, comparedDays: comparedDays(db).length };
  const sought = made.comparedDays === 0 ? [] : await seek(db, clock, lastHour);
  const found = await lookUp(db, clock, lastHour, sought);
  const content = packedMade({ ...made, ...found });
  await inTransaction(db, clock, "trends", (tx) => saveMade(tx, madeAt, content));
}

/**
 * Counts days that are not counted yet, the latest first, as far as one run may; otherwise, once an hour, the day
 * that was counted longest ago, since posts may have been imported meanwhile.
 */
async function countDays(db: Database, clock: Clock, last: Day): Promise<void> {
  const first = last - COMPARED_DAYS + 1;
  await inTransaction(db, clock, "trends", (tx) => forgetDaysOutside(tx, first, last));
  const counted = countedDays(db);
  const all = Array.from({ length: COMPARED_DAYS }, (_, back) => last - back);
  const missing = all.filter((day) => !counted.some((one) => one.day === day));
  const isDue = (counted.at(-1)?.countedAt ?? 0) <= clock.now() - HOUR_MS;
  const again = isDue ? counted.slice(0, 1).map(({ day }) => day) : [];
  const begunMs = clock.processor();
  for (const day of missing.length === 0 ? again : missing) {
    const from = startOfDay(day);
    const [one = NOTHING] = await countTerms(db, clock, [from], from + DAY_MS);
    const row = { day, channels: one.active, countedAt: clock.now() };
    const terms = packedCounts(one.counts);
    await inTransaction(db, clock, "trends", (tx) => saveDay(tx, row, terms));
    if (clock.processor() - begunMs > DAYS_MS) break;
  }
}

/** Days with posts. */
function comparedDays(db: Database): Day[] {
  return countedDays(db).flatMap(({ day, channels }) => (channels > 0 ? [day] : []));
}

type Sought = Pick<Term, "mean" | "hidden" | "rose"> & {
  hash: number;
  /** Windows in which it rises now. */
  windows: Counted[];
};

/** Terms that rise in the last hours, the most surprising first, then those that rose within the longest window. */
async function seek(db: Database, clock: Clock, lastHour: number): Promise<Sought[]> {
  const instants = SOUGHT_HOURS.map((hours) => (lastHour - hours + 1) * HOUR_MS);
  const windows = await countTerms(db, clock, instants, (lastHour + 1) * HOUR_MS);
  const earlier = (readMade(db)?.terms ?? [])
    .filter(({ rose }) => rose > lastHour - HOURS_MAX)
    .sort((one, other) => other.rose - one.rose)
    .map(({ term, rose }) => ({ hash: hashOfTerm(term), rose }));
  const asked = new Set(earlier.map(({ hash }) => hash));
  for (const { counts } of windows) {
    for (const [hash, channels] of counts) if (rises(channels, 0)) asked.add(hash);
  }
  const usual = await usualOf(db, clock, asked);
  const found = new Map<number, Sought & { score: number }>();
  for (const [at, window] of windows.entries()) {
    for (const [hash, channels] of window.counts) {
      const ofTerm = usual.get(hash) ?? NEW_TERM;
      const most = mostIn(SOUGHT_HOURS[at] ?? 0, ofTerm);
      if (!rises(channels, most)) continue;
      const known = found.get(hash);
      const score = Math.max(surprise(channels, most), known?.score ?? 0);
      const both = [...(known?.windows ?? []), window];
      found.set(hash, { hash, ...ofTerm, rose: lastHour, score, windows: both });
    }
  }
  return [
    ...[...found.values()].sort((one, other) => other.score - one.score),
    ...earlier
      .filter(({ hash }) => !found.has(hash))
      .map((one) => ({ ...one, ...(usual.get(one.hash) ?? NEW_TERM), windows: [] })),
  ].slice(0, TERMS_MAX);
}

/** How many channels use each of some terms, by the days with posts. */
async function usualOf(
  db: Database,
  clock: Clock,
  terms: ReadonlySet<number>,
): Promise<Map<number, Usual>> {
  const days = comparedDays(db);
  const sums = new Map<number, Usual>();
  for (const day of days) {
    eachOfDay(db, day, (hash, channels) => {
      if (!terms.has(hash)) return;
      const sum = sums.get(hash) ?? { mean: 0, hidden: days.length * NEW_TERM.hidden };
      sums.set(hash, { mean: sum.mean + channels, hidden: sum.hidden - NEW_TERM.hidden });
    });
    await clock.sleep(PAUSE_MS);
  }
  return new Map(
    Array.from(sums, ([hash, { mean, hidden }]) => [
      hash,
      { mean: mean / days.length, hidden: hidden / days.length },
    ]),
  );
}

/** Who used some terms in the last 72 hours, and in which form. */
async function lookUp(
  db: Database,
  clock: Clock,
  lastHour: number,
  sought: readonly Sought[],
): Promise<Pick<Made, "terms" | "cutChannels">> {
  const byHash = new Map(sought.map((one, at) => [one.hash, { ...one, at }]));
  // Several terms may have one hash.
  const found = new Map<string, ReturnType<typeof begun>>();
  const begun = (one: Sought & { at: number }) => ({
    ...one,
    ...{ forms: new Map<string, number>(), uses: [] as Use[], lastId: 0 },
  });
  const span = [(lastHour - HOURS_MAX + 1) * HOUR_MS, (lastHour + 1) * HOUR_MS] as const;
  let cutChannels = 0;
  if (sought.length > 0) {
    await eachChannel(db, clock, span, (posts) => {
      if (posts.length === POSTS_OF_CHANNEL_MAX) cutChannels += 1;
      for (const post of posts) {
        readTerms(post.text, (hash, word, before) => {
          const asked = byHash.get(hash);
          if (asked === undefined) return;
          const term = termOf(word, before);
          const one = found.get(term) ?? begun(asked);
          found.set(term, one);
          if (one.lastId === post.id) return;
          one.lastId = post.id;
          const form = termAsWritten(word, before);
          one.forms.set(form, (one.forms.get(form) ?? 0) + 1);
          addUse(one.uses, post);
        });
      }
    });
  }
  let uses = 0;
  const terms = [...found]
    .filter(([term, { windows }]) => windows.length === 0 || !windows.every(isCommonIn(term)))
    .sort(([, one], [, other]) => one.at - other.at)
    .flatMap(([term, { forms, mean, hidden, rose, uses: own }]) => {
      uses += own.length;
      const [form] = [...forms].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? [""];
      return uses > USES_MAX ? [] : [{ term, form, mean, hidden, rose, uses: own }];
    });
  return { terms, cutChannels };
}

/** Whether a pair's words are everywhere in a window. */
function isCommonIn(term: string): (window: Counted) => boolean {
  return ({ counts, active }) =>
    isOfCommonWords(term, (word) => counts.get(hashOfTerm(word)) ?? 0, active);
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
