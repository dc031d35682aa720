import { tokensOf } from "../../../catalog/post-search/tokens.ts";
import type { Database } from "../../../db/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import { type Day, dayOf } from "../../../values/moscow-time.ts";
import { type AlertIndex, alertsOf, buildIndex, type KeyCounts, keysOf } from "./alert-index.ts";
import { alertsVersion } from "./alerts.store.ts";
import { readAlertPosts, selectAsked, selectSampleTexts, toFacts } from "./match-posts.store.ts";

/**
 * Posts that an alert sends on a Moscow day. One of frequent words would match nearly all posts, and many
 * such alerts would fill the disk with what nobody reads.
 */
export const ALERT_POSTS_A_DAY = 1_000;
/** Posts by which it is known which words are frequent. */
const SAMPLE_POSTS = 300;
/** No other post is begun after so long: the sender's exchanges wait on the same thread. */
const MATCH_MS = 10;
/** Where no alert is to be matched, posts are told in parts of so many. */
const STEP_POSTS_MAX = 500;

/** Posts of a step with what they match. */
export interface MatchedPosts {
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

/** The alerts of a connection's file, as they were when posts were matched last. */
const indexes = new WeakMap<Database, { day: Day; index: AlertIndex }>();

/**
 * Matches some of the posts that were read after a sequence; null where there are none. Outside of any
 * transaction, and waits for nothing.
 */
export function matchPosts(
  db: Database,
  clock: Clock,
  { after }: { after: number },
): MatchedPosts | null {
  const index = currentIndex(db, dayOf(clock.now()));
  const endAtMs = clock.monotonic() + MATCH_MS;
  const matched = new Map<number, number[]>();
  let [last, posts, bytes] = [after, 0, 0];
  for (const row of readAlertPosts(db, after)) {
    last = row.sequence;
    posts += 1;
    bytes += row.text.length;
    const found =
      index.byKey.size === 0 ? [] : alertsOf(index, tokensOf(row.text), toFacts(row)).ids;
    for (const alertId of found) {
      const sequences = matched.get(alertId);
      if (sequences === undefined) matched.set(alertId, [last]);
      else sequences.push(last);
    }
    if (posts >= STEP_POSTS_MAX || clock.monotonic() >= endAtMs) break;
  }
  if (posts === 0) return null;
  const list = [...matched].map(([alertId, sequences]) => ({ alertId, sequences }));
  return { last, posts, bytes, matched: list };
}

/** Made anew where alerts were changed meanwhile, by whichever process, and on a new day. */
function currentIndex(db: Database, today: Day): AlertIndex {
  // The version first: a change that comes in between makes the next index.
  const version = alertsVersion(db);
  const before = indexes.get(db);
  if (before?.index.version === version && before.day === today) return before.index;
  const asked = selectAsked(db, { today, postsMax: ALERT_POSTS_A_DAY });
  const index = buildIndex(version, asked, countKeys(db), before?.index ?? null);
  indexes.set(db, { day: today, index });
  return index;
}

function countKeys(db: Database): KeyCounts {
  const counts = new Map<string, number>();
  for (const text of selectSampleTexts(db, SAMPLE_POSTS)) {
    for (const key of keysOf(tokensOf(text))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
