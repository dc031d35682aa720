import { tokensOf } from "../../../catalog/post-search/tokens.ts";
import type { Database } from "../../../db/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import { lastAlertSequence } from "./alerts.store.ts";
import { currentAlerts } from "./loaded-alerts.ts";
import { readAlertPosts, toFacts } from "./match-posts.store.ts";

/** How long posts are matched in one step: the sender's exchanges wait on the same thread. */
const MATCH_MS = 10;
/** Posts of a step where there is no alert to match them with. */
const STEP_POSTS_MAX = 500;

/** Posts of a step, and what they match. A step that only reads alerts has no posts. */
interface MatchedPosts {
  /** The sequence of its last post. */
  last: number;
  posts: number;
  bytes: number;
  matched: Matched[];
}

/** An alert, and the sequences of posts that match it. */
export interface Matched {
  alertId: number;
  sequences: number[];
}

/**
 * Matches some of the posts that were read after a sequence; null where there are none. Outside of any
 * transaction, and waits for nothing.
 */
export function matchPosts(
  db: Database,
  clock: Clock,
  { after }: { after: number },
): MatchedPosts | null {
  const endAtMs = clock.monotonic() + MATCH_MS;
  const isOver = (): boolean => clock.monotonic() >= endAtMs;
  // Read before the alerts: one that is made in between gets only posts that are read later.
  const until = lastAlertSequence(db);
  const index = currentAlerts(db, dayOf(clock.now()), isOver);
  if (index === null) return { last: after, posts: 0, bytes: 0, matched: [] };
  const matched = new Map<number, number[]>();
  let [last, posts, bytes] = [after, 0, 0];
  for (const row of readAlertPosts(db, { after, until })) {
    last = row.sequence;
    posts += 1;
    bytes += row.text.length;
    const found = index.size === 0 ? [] : index.alertsOf(tokensOf(row.text), toFacts(row));
    for (const alertId of found) {
      const sequences = matched.get(alertId);
      if (sequences === undefined) matched.set(alertId, [last]);
      else sequences.push(last);
    }
    if (posts >= STEP_POSTS_MAX || isOver()) break;
  }
  if (posts === 0) return null;
  const list = [...matched].map(([alertId, sequences]) => ({ alertId, sequences }));
  return { last, posts, bytes, matched: list };
}
