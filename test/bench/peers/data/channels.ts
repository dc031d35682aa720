import type { ChannelRecord } from "../../../../src/catalog/channels/card.ts";
import { DAY_MS, parseDay, startOfDay } from "../../../../src/values/moscow-time.ts";
import { type SeededRandom, seededRandom } from "./random.ts";
import { handle, sentences, title } from "./titles.ts";

/** The day after the data's last one. Fixed, so that generated data stays valid. */
export const END_DAY = parseDay("2026-11-01") as number;
const PURPOSE = 1;
const SUBSCRIBERS_LEAST = 40;
const SUBSCRIBERS_MOST = 6_000_000;

export interface DirectorySlugs {
  categories: readonly string[];
  territories: readonly string[];
}

/** The channel with a number, the same however many channels are generated. */
export function channelRecord(id: number, slugs: DirectorySlugs): ChannelRecord {
  const random = seededRandom(PURPOSE, id);
  const name = random.chance(0.92) ? handle(random, id) : null;
  const others = random.chance(0.35) ? 1 + random.below(3) : 0;
  const category = random.chance(0.97) ? random.pickOften(slugs.categories) : null;
  return {
    id,
    msgr_id: String(1_000_000_000 + id),
    handle: name,
    title: title(random),
    description: random.chance(0.6) ? sentences(random, 40 + random.below(200)) : null,
    link: name === null ? null : `https://t.me/${name}`,
    image: random.chance(0.7) ? `https://images.example.com/channels/${id}.webp` : null,
    kind: random.chance(0.06) ? "chat" : "channel",
    is_public: random.chance(0.98) ? 1 : 0,
    subscribers: longTailed(random),
    subscribers_at: startOfDay(END_DAY),
    category,
    categories: [...new Set(Array.from({ length: others }, () => random.pick(slugs.categories)))]
      .filter((slug) => slug !== category)
      .join(" "),
    territory: random.chance(0.35) ? random.pickOften(slugs.territories) : null,
    a_plus: Number(random.chance(0.03)),
    verified: Number(random.chance(0.12)),
    // Never 0, which PocketBase cannot distinguish from a missing value.
    quality: random.chance(0.7) ? (1 + random.below(1000)) / 10 : null,
    citation: random.chance(0.55) ? Math.ceil(1000 * random.next() ** 4) / 10 : null,
    last_post_at: postCount(id) === 0 ? null : newestPostAt(id),
    former_handles: "",
  };
}

/** Pareto distribution: many small channels, and a few with millions. */
function longTailed(random: SeededRandom): number {
  const value = SUBSCRIBERS_LEAST * (1 - random.next()) ** (-1 / 1.05);
  return Math.min(SUBSCRIBERS_MOST, Math.floor(value));
}

/** One channel in a hundred has more than a year of days and two hundred posts. */
function isBusy(id: number): boolean {
  return id % 100 === 1;
}

/** Number of days with statistics before `END_DAY`: 2,000 per hundred channels. */
export function dayCount(id: number): number {
  if (isBusy(id)) return 400;
  const place = id % 100;
  return place >= 2 && place <= 17 ? 17 : 16;
}

/** Number of posts: 500 per hundred channels, of which fifteen have none. */
export function postCount(id: number): number {
  if (isBusy(id)) return 200;
  const place = id % 100;
  if (place >= 85) return 0;
  return place >= 2 && place <= 49 ? 4 : 3;
}

/** Time between two posts of a channel. */
export function postGapMs(id: number): number {
  return (isBusy(id) ? 1.9 : 1 + (id % 40)) * DAY_MS;
}

export function newestPostAt(id: number): number {
  const random = seededRandom(PURPOSE + 1, id);
  return startOfDay(END_DAY) - 1000 * (1 + random.below((isBusy(id) ? 1 : 30) * 86_400));
}
