import type { ChannelRecord } from "../../../src/catalog/channels/card.ts";
import { channelRecord, type DirectorySlugs } from "./data/channels.ts";
import { seededRandom } from "./data/random.ts";

const PURPOSE = 20;
const LENGTH_MIN = 3;
const ABSENT = ["ъыщэ", "xqjz", "фывафыва", "нет такого канала", "zzzzzz", "ёъёъ", "щзщзщ", "qwxk"];

/**
 * Strings such as people type, drawn from titles and handles, frequent words more often: words, parts of words, parts
 * that span words, whole titles, handles, and some that occur nowhere.
 */
export function searchStrings(count: number, channels: number, slugs: DirectorySlugs): string[] {
  const random = seededRandom(PURPOSE);
  const strings = new Set<string>(ABSENT);
  while (strings.size < count) {
    const record = channelRecord(1 + random.below(channels), slugs);
    const drawn = draw(record, random.below(6), random).trim();
    // An @handle or a link is looked up rather than searched.
    if ([...drawn].length >= LENGTH_MIN && !/[@/]/.test(drawn)) strings.add(drawn);
  }
  return [...strings];
}

function draw(
  { title, handle }: ChannelRecord,
  how: number,
  random: ReturnType<typeof seededRandom>,
): string {
  const words = title.split(/\s+/);
  const word = random.pick(words);
  switch (how) {
    case 0:
      return word.toLowerCase();
    case 1: {
      const start = random.below(Math.max(1, word.length - 2));
      return word.slice(start, start + 3 + random.below(3)).toLowerCase();
    }
    case 2:
      return words.slice(0, 2).join(" ").toLowerCase();
    case 3:
      return [...title].slice(2, 12).join("").toUpperCase();
    case 4:
      return title;
    default:
      return handle?.slice(random.below(6), 8 + random.below(6)) ?? word;
  }
}
