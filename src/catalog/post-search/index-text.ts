import { DAY_MS, type Day, dayOf, monthOf, startOfDay } from "../../values/moscow-time.ts";
import { facet } from "../channels/search-text.ts";
import type { Media } from "../posts/post.ts";
import { copyStem, STEM_BYTES_MAX, stemOfWord, stemsByNumber } from "./known-words.ts";
import { readTokens } from "./tokens.ts";

const SPACE = " ".charCodeAt(0);
const PLUS = "+".charCodeAt(0);

/** The tokens in UTF-8: joining many strings and encoding the result takes longer. */
let bytes = Buffer.alloc(2 ** 14);
let length = 0;

/** Stems of one text, each followed by a space. Texts are read one at a time. */
const joined = {
  begin(): void {
    length = 0;
  },

  /**
   * @param stem its number (known-words.ts)
   * @param least 1 adds the stem; 2 or 3 the token of texts with so many of it (`frequentToken`)
   */
  add(stem: number, least: number): void {
    const needed = length + STEM_BYTES_MAX + least;
    if (needed > bytes.length) bytes = Buffer.concat([bytes], 2 * needed);
    length = copyStem(stem, bytes, length);
    for (let times = 1; times < least; times += 1) bytes[length++] = PLUS;
    bytes[length++] = SPACE;
  },

  /** @param more text to append to the stems */
  end: (more: string): Buffer => Buffer.concat([bytes.subarray(0, length), Buffer.from(more)]),
};

/**
 * What the index stores of a post: a text of tokens separated by spaces. First come the stems of its words
 * in order, so that phrases can be found; then tokens for what filters and orderings need. Those contain
 * signs that no word contains, so that no word of a query matches one of them.
 */

/**
 * Lower bounds of the levels of views: 0, 1, 100, then steps by a factor of two to two and a half, at the
 * round numbers that people filter by.
 */
const LEVELS: readonly number[] = [
  0,
  1,
  ...Array.from({ length: 13 }, (_, power) =>
    [100, 200, 500].map((least) => least * 10 ** power),
  ).flat(),
];

export const LEVEL_MAX = LEVELS.length - 1;

export function levelOf(views: number): number {
  return LEVELS.findLastIndex((least) => least <= views);
}

/** Whether a level starts with exactly this number of views. */
export function isLevel(views: number): boolean {
  return LEVELS.includes(views);
}

export const AD_TOKEN = "/ad";
export const channelToken = (id: number): string => `/c${id}`;
export const levelToken = (level: number): string => `/v${level}`;
export const mediaToken = (kind: Media | string): string => `/m${kind}`;
export const categoryToken = (id: number): string => facet("category", id);
export const territoryToken = (id: number): string => facet("territory", id);

/** How often a stem counts at most in one text. */
export const FREQUENCY_MAX = 3;

/** Token of texts that contain a stem at least `least` times, which is 2 or 3. */
export const frequentToken = (stem: string, least: number): string => stem + "+".repeat(least - 1);

export interface IndexedPost {
  channel_id: number;
  is_ad: number;
  views: number;
  /** Kinds separated by spaces; null if unknown. */
  media: string | null;
  /** Facets of the channel (channels/search-text.ts). */
  channel_facets: string;
}

/** What the index stores of a text alone. */
export interface IndexedWords {
  /** In UTF-8, each followed by a space. */
  tokens: Buffer;
  words: number;
  /** Numbers of its stems, and the table of all stems by number. */
  stems: readonly number[];
  stemsByNumber: readonly string[];
}

/** How often each stem, by number, has occurred in the text being read. */
let counts = new Uint8Array(2 ** 16);

export function indexWords(text: string): IndexedWords {
  joined.begin();
  const stems: number[] = [];
  const marks = new Set<string>();
  let words = 0;
  readTokens(text, {
    word(word) {
      words += 1;
      const stem = stemOfWord(word);
      joined.add(stem, 1);
      if (stem >= counts.length) counts = longerCopy(counts, stem + 1);
      const count = counts[stem] ?? 0;
      if (count === 0) stems.push(stem);
      if (count < FREQUENCY_MAX) counts[stem] = count + 1;
    },
    mark: (_kind, form) => marks.add(form),
  });
  for (const stem of stems) {
    const count = counts[stem] ?? 0;
    for (let least = 2; least <= count; least += 1) joined.add(stem, least);
    counts[stem] = 0;
  }
  const tokens = joined.end([...marks].map((mark) => `${mark} `).join(""));
  return { tokens, words, stems, stemsByNumber };
}

function longerCopy(some: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(2 * length);
  longer.set(some);
  return longer;
}

/** A post's tokens for filters and orderings, separated by spaces. */
export function facetsText(post: IndexedPost): string {
  let tokens = `${channelToken(post.channel_id)} ${levelToken(levelOf(post.views))}`;
  const add = (token: string): void => {
    tokens += ` ${token}`;
  };
  if (post.is_ad === 1) add(AD_TOKEN);
  if (post.media !== null) {
    for (const kind of new Set(post.media.split(" "))) if (kind !== "") add(mediaToken(kind));
  }
  const { channel_facets: facets } = post;
  for (let at = 0; at < facets.length; at += 3) {
    const token = facets.slice(at, at + 3);
    if (!tokens.includes(token)) add(token);
  }
  return tokens;
}

/**
 * Row numbers of posts in the index consist of the Moscow day of publication and the minute within
 * it, with four numbers per minute. A post that finds those taken gets a later number of the same day. So
 * numbers nearly sort posts by time, each day has its own range, and numbers are close together: FTS5
 * stores the differences between them, mostly in one or two bytes each.
 */

const MINUTE_MS = 60_000;
const LAST_MINUTE = DAY_MS / MINUTE_MS - 1;
const ROWS_OF_MINUTE = 4;
/** Room for 134 million posts a day, which takes no more bytes than room for 2 million. */
const ROWS_OF_DAY = 2 ** 27;

export function dayRow(day: Day): number {
  return day * ROWS_OF_DAY;
}

export function dayOfRow(row: number): Day {
  return Math.floor(row / ROWS_OF_DAY);
}

/** First number of the minute that contains an instant. Its posts have this number or a later one. */
export function minuteRow(instantMs: number): number {
  const day = dayOf(instantMs);
  const minute = Math.floor((instantMs - startOfDay(day)) / MINUTE_MS);
  return dayRow(day) + minute * ROWS_OF_MINUTE;
}

/** First number of the day after a row's day. */
export function nextDayRow(row: number): number {
  return dayRow(dayOfRow(row) + 1);
}

/** The end of the first month: earlier posts, of which there are hardly any, belong to it. */
const FIRST_MONTH_END = Date.UTC(2014, 0) / DAY_MS;

/** The first number of a row's month, and of the month after it. */
export function monthRows(row: number): { first: number; end: number } {
  const { first, end } = monthOf(dayOfRow(row));
  return end <= FIRST_MONTH_END
    ? { first: 0, end: dayRow(FIRST_MONTH_END) }
    : { first: dayRow(first), end: dayRow(end) };
}

/** An instant later than every post whose number is at most a row's. */
export function endBelow(row: number): number {
  return minuteOf(row) + MINUTE_MS;
}

/**
 * An instant no later than any post whose number is at least a row's.
 * @param spill the greatest distance from the first number of a post's minute to its own
 */
export function startFrom(row: number, spill: number): number {
  return minuteOf(Math.max(row - spill, dayRow(dayOfRow(row))));
}

/** Start of the minute that a row belongs to, if its post did not find that taken. */
function minuteOf(row: number): number {
  const day = dayOfRow(row);
  const minute = Math.floor((row - dayRow(day)) / ROWS_OF_MINUTE);
  return startOfDay(day) + Math.min(minute, LAST_MINUTE) * MINUTE_MS;
}

/**
 * Finds a free number for a post: in its minute, or else in the following ranges, each twice as long as the
 * previous one, so that the thousandth post of one minute does not take a thousand lookups.
 * @param lastIn returns the last number taken from `first` to before `end`; null if none is
 */
export function freeRow(
  publishedAt: number,
  lastIn: (first: number, end: number) => number | null,
): number {
  let first = minuteRow(publishedAt);
  const dayEnd = nextDayRow(first);
  for (let room = ROWS_OF_MINUTE; first < dayEnd; room *= 2) {
    const end = Math.min(first + room, dayEnd);
    const last = lastIn(first, end);
    if (last === null) return first;
    if (last + 1 < end) return last + 1;
    first = end;
  }
  throw new Error("a day has more posts than the index has numbers for");
}
