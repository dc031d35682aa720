import { writeFileSync } from "node:fs";
import { DAY_MS, formatInstant, startOfDay } from "../../../../src/values/moscow-time.ts";
import { END_DAY } from "./channels.ts";
import { generatedPost } from "./posts.ts";
import { seededRandom } from "./random.ts";

const PURPOSE = 31;
/** Above the messenger ids of generated posts. */
const MESSENGER_ID_FIRST = 100_000;

/**
 * Writes an import of posts as they arrive on a day, in order of time, each of a random channel.
 * @param path of the CSV file
 * @returns bytes of their texts and links
 */
export function writeSpreadPosts(path: string, channels: number, posts: number): number {
  const random = seededRandom(PURPOSE);
  const gapMs = DAY_MS / posts;
  const lines = ["channel,msgr_post_id,published_at,views,is_ad,link,text"];
  let bytes = 0;
  for (let at = 0; at < posts; at++) {
    const { channel, views, isAd, link, text } = generatedPost(1 + random.below(channels), at, at);
    const publishedAt = formatInstant(startOfDay(END_DAY) + Math.floor(at * gapMs));
    const numbers = [channel, MESSENGER_ID_FIRST + at, publishedAt, views, isAd];
    lines.push(`${numbers.join(",")},${link},"${text.replaceAll('"', '""')}"`);
    bytes += Buffer.byteLength(text) + Buffer.byteLength(link);
  }
  writeFileSync(path, `${lines.join("\n")}\n`);
  return bytes;
}
