import type { Calls } from "../../../db/operations.ts";
import type { Clock } from "../../../ports/clock.ts";
import { cutMatches, endMatchedPart, type MatchedPart } from "./cut-matches.ts";
import { matchPosts } from "./match-posts.ts";

/** Work for alerts that runs on a timer, on the thread that writes it. */
export const alertWork = { matchPosts, cutMatches, endMatchedPart };

export type AlertWork = Calls<typeof alertWork>;

/** Limits of a part: posts, characters of their texts, and matches. */
const PART_POSTS_MAX = 500;
const PART_CHARACTERS_MAX = 400_000;
const PART_MATCHES_MAX = 100_000;
/** Time per turn; the next look continues. Events of watched channels come before those of alerts. */
const TURN_MS = 2_000;

/**
 * Matches new posts with alerts, and puts matches into events, turn by turn. A part that a turn does not
 * finish is kept for the next one. After a kill it is matched again; alerts that have advanced past it do
 * not get it twice.
 */
export function createAlertTurns(work: AlertWork, clock: Clock) {
  let left: MatchedPart | null = null;

  return {
    /** Whether the last turn left work for another. */
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
          if (isOver()) return;
        }
        await work.endMatchedPart({ last: left.last });
        left = null;
      } while (!isOver());
      left = await nextPart(work, isOver);
    },
  };
}

/**
 * Matches posts until a part is full, so that an alert's posts in it make few events.
 * @returns null if no post is waiting, or the time was up before all alerts were loaded
 */
async function nextPart(work: AlertWork, isOver: () => boolean): Promise<MatchedPart | null> {
  const matched = new Map<number, number[]>();
  let [last, posts, characters, matches] = [0, 0, 0, 0];
  while (posts < PART_POSTS_MAX && characters < PART_CHARACTERS_MAX && matches < PART_MATCHES_MAX) {
    const step = await work.matchPosts({ after: last });
    if (step === null) break;
    last = step.last;
    posts += step.posts;
    characters += step.characters;
    for (const { alertId, sequences } of step.matched) {
      matches += sequences.length;
      matched.set(alertId, [...(matched.get(alertId) ?? []), ...sequences]);
    }
    if (isOver()) break;
  }
  if (posts === 0) return null;
  return { last, matched: [...matched].map(([alertId, of]) => ({ alertId, sequences: of })) };
}
