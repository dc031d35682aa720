import type { Calls } from "../../../db/operations.ts";
import type { Clock } from "../../../ports/clock.ts";
import { cutMatches, leaveMatches, type MatchedPart } from "./cut-matches.ts";
import { matchPosts } from "./match-posts.ts";

/** Work for alerts that runs on a timer, on the thread that writes it. */
export const alertWork = { matchPosts, cutMatches, leaveMatches };

export type AlertWork = Calls<typeof alertWork>;

/** Limits of a part: posts, bytes of their texts, and posts times alerts. */
const PART_POSTS_MAX = 500;
const PART_BYTES_MAX = 400_000;
const PART_PAIRS_MAX = 100_000;
/** Time per turn, after which the next look continues: webhooks' own posts come first. */
const TURN_MS = 2_000;
/** Pause between two transactions, so that others get in: they poll for the lock every millisecond. */
const PAUSE_MS = 3;

/**
 * Matches incoming posts with alerts, and puts matches into events, turn by turn. A part not finished in a
 * turn is kept for the next; after a kill it is matched again, and alerts that are past it do not get it
 * twice.
 */
export function createAlertTurns(work: AlertWork, clock: Clock) {
  let left: MatchedPart | null = null;

  return {
    /** Whether the last turn left work. */
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

/** Matches posts until a part is full, so that an alert's posts in it make few events. */
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
