import { HOUR_MS } from "../../values/moscow-time.ts";
import type { ValueOf } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import { postSchema } from "../posts/post.ts";

/** The longest window, in hours: what the job keeps of a word. */
export const HOURS_MAX = 72;
export const HOURS_MIN = 6;
/** Posts of a channel between two instants that are looked at: its last ones. */
export const POSTS_OF_CHANNEL_MAX = 2_000;
/** Windows in which the job looks for words that rise. */
export const SOUGHT_HOURS = [6, 24] as const;
/** Whole Moscow days before the longest window, which words are compared with. */
export const COMPARED_DAYS = 14;
/** Channels that must use a word for it to rise; also from which a day counts it at all. */
const CHANNELS_MIN = 5;
export const COUNTED_MIN = 3;
const GROWTH_MIN = 3;
/** With so many channels at work, a word that a quarter of them use is everywhere, and makes no pair. */
const ACTIVE_MIN = 20;
const EVERYWHERE = 0.25;
/** A pair stands for a word if at least this part of the word's channels use the pair. */
const SAME = 2 / 3;
const POSTS_SHOWN = 3;

/** Posts of a channel with a term, in one hour; the last two are its most viewed post. */
export type Use = readonly [
  hour: number,
  channel: number,
  posts: number,
  views: number,
  postId: number,
  postViews: number,
];

export interface Term extends Usual {
  /** Its lemma, or two of them. */
  term: string;
  /** The form in which most posts have it. */
  form: string;
  /** The last hour at which it was found to rise. */
  rose: number;
  uses: Use[];
}

/** How many channels use a term on a day, by the days compared with. */
export interface Usual {
  /** Mean of the days; one that does not count the term, since fewer than three channels use it, is 0. */
  mean: number;
  /** Channels that days may hide, on average: 2 for each that does not count the term. */
  hidden: number;
}

/** For a term that no day counts. */
export const NEW_TERM: Usual = { mean: 0, hidden: COUNTED_MIN - 1 };

/** The job's result, as stored. Hours count from 1970; the last may be going on. */
export interface Made {
  madeAt: number;
  lastHour: number;
  /** How many of the days before have posts and are counted. */
  comparedDays: number;
  /** Channels with more posts within the longest window than are looked at. */
  cutChannels: number;
  terms: Term[];
}

export const hourOf = (instantMs: number): number => Math.floor(instantMs / HOUR_MS);

/** How many channels are expected to use a term in a window. */
export const expectedIn = (hours: number, mean: number): number => (mean * hours) / 24;

/**
 * How many channels may at most be expected, with what days hide; in a longer window than a day, those are mostly the
 * same channels. In posts of 25 channels 34 words rose in 114 days, and by the mean alone 691, most of them everyday ones.
 */
export const mostIn = (hours: number, { mean, hidden }: Usual): number =>
  expectedIn(hours, mean) + expectedIn(Math.min(hours, 24), hidden);

export function rises(channels: number, expected: number): boolean {
  return channels >= CHANNELS_MIN && channels >= GROWTH_MIN * expected;
}

/** How far from chance a number of channels is: by how many standard deviations, nearly. */
export function surprise(channels: number, expected: number): number {
  return (channels - expected) / Math.sqrt(expected + 1);
}

/** Whether a pair consists of words that are everywhere. @param channelsOf how many use a word */
export function isOfCommonWords(
  term: string,
  channelsOf: (word: string) => number,
  active: number,
): boolean {
  const words = term.split(" ");
  if (words.length === 1 || active < ACTIVE_MIN) return false;
  return words.some((word) => channelsOf(word) > active * EVERYWHERE);
}

const { id, published_at, link } = postSchema.properties;
export const trendSchema = shape.object(
  {
    words: shape.text("A word, or two that stand together, in the form that most posts have"),
    channels: shape.count("Channels that use it"),
    posts: shape.count("Their posts with it"),
    views: shape.count("Views of these posts"),
    channels_usual: shape.number(
      "Channels that all use it in as many hours, by the mean of the days before; 0 if it is new",
    ),
    growth: shape.nullable(
      shape.number(
        "How many times more channels use it than usually, without regard to category and territory; null if it is new",
      ),
    ),
    by_hour: shape.list(shape.integer({ minimum: 0 }), "Posts in each hour, the last one going on"),
    top_posts: shape.list(
      shape.object(
        {
          id,
          channel: postSchema.properties.channel,
          channel_title: shape.text("Title of the channel"),
          published_at,
          views: shape.count("Views when this was made"),
          link,
        },
        "TrendPost",
      ),
      "Up to three posts of different channels, most viewed first",
    ),
  },
  "Trend",
);

export type TrendView = ValueOf<typeof trendSchema>;

/** The last run and its findings. */
export interface Trends {
  /** Null before the first run. */
  madeAt: number | null;
  comparedDays: number;
  /** Channels with more posts than are looked at. */
  cutChannels: number;
  results: TrendView[];
}

/** A term in a window, before its posts are looked up. */
export interface Rising extends Omit<TrendView, "top_posts"> {
  term: string;
  /** Posts of different channels, most viewed first; some may be gone. */
  best: { id: number; views: number }[];
}

/** Posts to look up for each term, since some may be gone. */
const BEST_MAX = 3 * POSTS_SHOWN;
export const shownPosts = <T>(found: readonly T[]): T[] => found.slice(0, POSTS_SHOWN);

/**
 * Terms that rise in the last hours, the most surprising first.
 * @param isIn whether a channel belongs to the category and territory asked for; null for all
 */
export function risingIn(
  { terms, lastHour }: Made,
  hours: number,
  isIn: ((channel: number) => boolean) | null,
): Rising[] {
  const first = lastHour - hours + 1;
  const found: (Rising & { score: number })[] = [];
  for (const { term, form, mean, hidden, uses } of terms) {
    const within = uses.filter(([hour]) => hour >= first);
    const expected = expectedIn(hours, mean);
    const most = mostIn(hours, { mean, hidden });
    const all = new Set(within.map(([, channel]) => channel)).size;
    if (!rises(all, most)) continue;
    const own = isIn === null ? within : within.filter(([, channel]) => isIn(channel));
    const channels = new Set(own.map(([, channel]) => channel)).size;
    if (channels < Math.min(all, COUNTED_MIN)) continue;
    const by_hour = new Array<number>(hours).fill(0);
    for (const [hour, , posts] of own) by_hour[hour - first] = (by_hour[hour - first] ?? 0) + posts;
    found.push({
      ...{ term, words: form, channels, by_hour, best: bestOf(own) },
      posts: own.reduce((sum, [, , posts]) => sum + posts, 0),
      views: own.reduce((sum, [, , , views]) => sum + views, 0),
      channels_usual: Math.round(expected * 10) / 10,
      growth: mean === 0 ? null : Math.round((all / expected) * 10) / 10,
      score: surprise(channels, isIn === null ? most : (most * channels) / all),
    });
  }
  found.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
  const pairs = found.filter(({ term }) => term.includes(" "));
  const isSaid = ({ term, channels }: Rising) =>
    pairs.some((pair) => pair.term.split(" ").includes(term) && pair.channels >= channels * SAME);
  return found
    .filter((one) => one.term.includes(" ") || !isSaid(one))
    .map(({ score: _, ...shown }) => shown);
}

function bestOf(uses: readonly Use[]): Rising["best"] {
  const ofChannel = new Map<number, { id: number; views: number }>();
  for (const [, channel, , , id, views] of uses) {
    const best = ofChannel.get(channel);
    if (best === undefined || views > best.views) ofChannel.set(channel, { id, views });
  }
  return [...ofChannel.values()]
    .sort((one, other) => other.views - one.views || one.id - other.id)
    .slice(0, BEST_MAX);
}
