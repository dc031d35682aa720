import type { Calls } from "../../../db/operations.ts";
import type { Clock } from "../../../ports/clock.ts";
import { cutMatches, leaveMatches, type MatchedPart } from "./cut-matches.ts";
import { matchPosts } from "./match-posts.ts";

/** Work for alerts that is due by the clock, on the thread that writes it. */
export const alertWork = { matchPosts, cutMatches, leaveMatches };

export type AlertWork = Calls<typeof alertWork>;

/** A part ends where it has so many posts, bytes of their texts, or posts times alerts. */
const PART_POSTS_MAX = 500;
const PART_BYTES_MAX = 400_000;
const PART_PAIRS_MAX = 100_000;
/** Webhooks' own posts come first: alerts leave off after so long, and go on at the next look. */
const TURN_MS = 2_000;
/** Between two transactions, so that others get in: they look for the lock every millisecond. */
const PAUSE_MS = 3;

/**
 * Matches the posts that were read with alerts, and cuts those that match into events, turn by turn. A
 * part that a turn leaves is kept for the next one; after a kill it is matched again, and the alerts that
 * are past it get it no more.
 */
export function createAlertTurns(work: AlertWork, clock: Clock) {
  let left: MatchedPart | null = null;

  return {
    /** Whether a turn has left something. */
    isLeft: (): boolean => left !== null,

    async turn(): Promise<void> {
      const endAtMs = clock.monotonic() + TURN_MS;
      const isOver = (): boolean => clock.monotonic() >= endAtMs;
      do {
        left ??= await nextPart(work, isOver);
        if (left === null) return;
        while (left.matched.length > 0) {
          const done = await work.cutMatches(left);
          left = { ...left, matched: left.matched.slice(done) };
          await clock.sleep(PAUSE_MS);
          if (isOver()) return;
        }
        await work.leaveMatches({ last: left.last });
        left = null;
      } while (!isOver());
      left = await nextPart(work, isOver);
    },
  };
}

/** Matches posts until a part is full, so that an alert's posts of it are few events. */
async function nextPart(work: AlertWork, isOver: () => boolean): Promise<MatchedPart | null> {
  const matched = new Map<number, number[]>();
  let [last, posts, bytes, pairs] = [0, 0, 0, 0];
  while (posts < PART_POSTS_MAX && bytes < PART_BYTES_MAX && pairs < PART_PAIRS_MAX) {
    const step = await work.matchPosts({ after: last });
    if (step === null) break;
    last = step.last;
    posts += step.posts;
    bytes += step.bytes;
    for (const { alertId, sequences } of step.matched) {
      pairs += sequences.length;
      matched.set(alertId, [...(matched.get(alertId) ?? []), ...sequences]);
    }
    if (isOver()) break;
  }
  if (posts === 0) return null;
  return { last, matched: [...matched].map(([alertId, of]) => ({ alertId, sequences: of })) };
}
