import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { readTerms } from "./terms.ts";
import { lastChannel, publicChannels, type TextRow, textsOf } from "./trends.store.ts";
import { COUNTED_MIN } from "./trends.ts";

/** Channels to look for at a time, and posts after which others get the processor for a moment. */
const CHANNELS_PER_READ = 200;
const POSTS_PER_PAUSE = 200;
/** Cost of looking for posts where there are none, in posts. */
const LOOK = 0.1;
export const PAUSE_MS = 2;

/** Passes the posts of each channel that has any between two instants. */
export async function eachChannel(
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
      read += posts.length + LOOK;
      if (read < POSTS_PER_PAUSE) continue;
      await clock.sleep(PAUSE_MS);
      read = 0;
    }
    if (channels.length < CHANNELS_PER_READ) return;
    after = channels.at(-1) ?? after;
  }
}

/** Terms by hash that at least three channels use, and how many channels wrote. */
export interface Counted {
  counts: ReadonlyMap<number, number>;
  active: number;
}
export const NOTHING: Counted = { counts: new Map(), active: 0 };

/** Counts the channels that use each term, between each of some instants, the latest first, and another. */
export async function countTerms(
  db: Database,
  clock: Clock,
  instants: readonly number[],
  untilMs: number,
): Promise<Counted[]> {
  const channels = lastChannel(db);
  const counters = instants.map((fromMs) => ({ fromMs, ...createCounter(channels), active: 0 }));
  await eachChannel(db, clock, [instants.at(-1) ?? untilMs, untilMs], (posts) => {
    const own = new Set<number>();
    let left = posts.length;
    for (const counter of counters) {
      while (left > 0 && (posts[left - 1]?.published_at ?? 0) >= counter.fromMs) {
        left -= 1;
        readTerms(posts[left]?.text ?? "", (hash) => own.add(hash));
      }
      if (left === posts.length) continue;
      counter.active += 1;
      for (const hash of own) counter.add(hash);
    }
  });
  // Their cells, of up to 64 MB each, are not held while the counts are looked up.
  return counters.map(({ counts, active }) => ({ counts, active }));
}

const CELLS = { least: 2 ** 20, ofChannel: 2 ** 12, most: 2 ** 26 };

/**
 * Counts terms without keeping those that only one or two channels use, nearly all: these are counted in cells
 * that several may share. Where two do, which happens to one in a hundred at 300,000 posts, a term may count up
 * to two channels too many.
 */
function createCounter(channels: number) {
  let size = CELLS.least;
  while (size < CELLS.most && size < channels * CELLS.ofChannel) size *= 2;
  const cells = new Uint8Array(size);
  const counts = new Map<number, number>();
  return {
    counts,
    add(hash: number): void {
      const cell = hash & (size - 1);
      const seen = cells[cell] ?? 0;
      if (seen + 1 < COUNTED_MIN) {
        cells[cell] = seen + 1;
        return;
      }
      counts.set(hash, (counts.get(hash) ?? seen) + 1);
    },
  };
}
