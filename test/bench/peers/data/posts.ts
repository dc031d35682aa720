import { newestPostAt, postGapMs } from "./channels.ts";
import { seededRandom } from "./random.ts";
import { sentences } from "./titles.ts";

const PURPOSE = 4;
/** Texts are parts of one long text, because generating each would take longer than storing it. */
const STOCK_LENGTH = 400_000;
const stock = sentences(seededRandom(PURPOSE), STOCK_LENGTH);

interface GeneratedPost {
  channel: number;
  messengerId: number;
  publishedAt: number;
  isAd: number;
  views: number;
  link: string;
  text: string;
}

/** @param back 0 for the channel's newest post, 1 for the one before it */
export function generatedPost(channel: number, back: number, count: number): GeneratedPost {
  const random = seededRandom(PURPOSE + 1, channel * 256 + back);
  const length = Math.min(4000, Math.floor(80 * (1 - random.next()) ** (-1 / 1.6)));
  const start = random.below(STOCK_LENGTH - length);
  const messengerId = 10 + (count - back);
  return {
    channel,
    messengerId,
    publishedAt: newestPostAt(channel) - Math.floor(back * postGapMs(channel)),
    isAd: Number(random.chance(0.12)),
    views: Math.floor(20 * (1 - random.next()) ** (-1 / 1.1)),
    link: `https://t.me/c/${channel}/${messengerId}`,
    text: stock.slice(start, start + length),
  };
}
