import { tokensOf } from "../../../catalog/post-search/tokens.ts";
import type { Database } from "../../../db/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import { lastAlertSequence } from "./alerts.store.ts";
import { currentAlerts } from "./loaded-alerts.ts";
import { readAlertPosts, toFacts } from "./match-posts.store.ts";

/** How long one step of matching may take: the sender's database work waits on the same thread. */
const MATCH_MS = 10;
/** Posts per step, however quickly they are matched, for instance without any alerts. */
const STEP_POSTS_MAX = 500;

/** Result of a step: how much it read, and the matches. A step that only loads alerts reads no posts. */
interface MatchedPosts {
  /** Sequence of its last post; that of the step before if it has none. */
  last: number;
  posts: number;
  /** Length of the posts' texts. */
  characters: number;
  matched: Matched[];
}

/** An alert, and the sequences of the posts that match it. */
export interface Matched {
  alertId: number;
  sequences: number[];
}

/** Matches some posts after a sequence; null if there are none. Synchronous, outside any transaction. */
export function matchPosts(
  db: Database,
  clock: Clock,
  { after }: { after: number },
): MatchedPosts | null {
  const endAtMs = clock.monotonic() + MATCH_MS;
  const isOver = (): boolean => clock.monotonic() >= endAtMs;
  // Read before the alerts: one created in between gets only posts that are read later.
  const until = lastAlertSequence(db);
  const index = currentAlerts(db, dayOf(clock.now()), isOver);
  if (index === null) return { last: after, posts: 0, characters: 0, matched: [] };
  const matched = new Map<number, number[]>();
  let last = after;
  let posts = 0;
  let characters = 0;
  for (const row of readAlertPosts(db, { after, until })) {
    last = row.sequence;
    posts += 1;
    characters += row.text.length;
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
  return { last, posts, characters, matched: list };
}
