import type { Database } from "../../db/database.ts";
import { selectPostsById } from "../posts/posts.store.ts";
import { hourRow, nextHourRow } from "./index-rows.ts";
import { LEVEL_MAX, levelOf, levelToken } from "./index-text.ts";
import { withToken } from "./match-expression.ts";
import {
  type Asked,
  askedOf,
  countMatches,
  type Match,
  UNBOUNDED,
  walkMatches,
} from "./matches.store.ts";
import type { FoundPage, FoundPosition, PostSearchSelection } from "./post-search.ts";
import { rankByRelevance } from "./relevance.store.ts";
import { snippetOf } from "./snippet.ts";

/** Up to so many matches are read and sorted by views; more are gone through by levels of views. */
const SORTED_MAX = 2_000;
/** A page of the posts that match. Nothing is found in channels that are not public. */
export function selectFoundPosts(db: Database, selection: PostSearchSelection): FoundPage {
  const asked = askedOf(db, selection);
  const { matches, isCapped } = countMatches(db, asked);
  const { limit, ordering, query } = selection;
  const found = findInOrder(db, asked, selection, isCapped ? UNBOUNDED : matches);
  const shown = found.slice(0, limit);
  const lastShown = found.length > limit ? shown.at(-1) : undefined;
  const isRanked = ordering === "-relevance";
  const posts = selectPostsById(
    db,
    shown.map(({ id }) => id),
  );
  return {
    results: posts.map((post) => ({ ...post, ...snippetOf(post.text, query) })),
    last: lastShown === undefined || isRanked ? null : positionOf(lastShown, ordering),
    matches,
    isCapped,
  };
}

function positionOf(
  { views, published_at, id }: Match,
  ordering: PostSearchSelection["ordering"],
): FoundPosition {
  return ordering === "-views" ? [views, published_at, id] : [published_at, id];
}

function findInOrder(
  db: Database,
  asked: Asked,
  selection: PostSearchSelection,
  matches: number,
): Match[] {
  switch (selection.ordering) {
    case "-published_at":
      return newest(db, asked, selection.after as Newest, selection.limit + 1);
    case "-views":
      return mostViewed(db, asked, selection, matches);
    case "-relevance":
      return rankByRelevance(db, asked, selection);
  }
}

type Newest = readonly [publishedAt: number, id: number] | null;

/** The newest matches after a position: whole hours, each sorted, until there are enough. */
function newest(db: Database, asked: Asked, after: Newest, count: number): Match[] {
  const high = after === null ? asked.high : Math.min(asked.high, nextHourRow(hourRow(after[0])));
  const found: Match[] = [];
  let hour: Match[] = [];
  const endHour = (): void => {
    hour.sort(byTime);
    found.push(...hour);
    hour = [];
  };
  for (const match of walkMatches(db, { ...asked, high })) {
    const [before] = hour;
    if (before !== undefined && nextHourRow(before.row) !== nextHourRow(match.row)) {
      endHour();
      if (found.length >= count) return found.slice(0, count);
    }
    if (after === null || comesAfter(match, after)) hour.push(match);
  }
  endHour();
  return found.slice(0, count);
}

function byTime(one: Match, other: Match): number {
  return other.published_at - one.published_at || other.id - one.id;
}

function comesAfter({ published_at, id }: Match, [at, afterId]: NonNullable<Newest>): boolean {
  return published_at < at || (published_at === at && id < afterId);
}

/** The matches with most views after a position: level by level of views, each sorted. */
function mostViewed(
  db: Database,
  asked: Asked,
  { after, limit }: PostSearchSelection,
  matches: number,
): Match[] {
  const [views, ...place] = (after ?? [UNBOUNDED, UNBOUNDED, 0]) as [number, number, number];
  const isAfter = (match: Match): boolean =>
    match.views < views || (match.views === views && comesAfter(match, place));
  const sorted = (some: Iterable<Match>): Match[] =>
    [...some].filter(isAfter).sort((one, other) => other.views - one.views || byTime(one, other));
  if (matches <= SORTED_MAX) return sorted(walkMatches(db, asked)).slice(0, limit + 1);
  const found: Match[] = [];
  for (let level = Math.min(LEVEL_MAX, levelOf(views)); level >= 0; level -= 1) {
    const ofLevel = { ...asked, match: withToken(asked.match, levelToken(level)) };
    const left = limit + 1 - found.length;
    // Posts without views are sorted by time alone, as the index has them.
    if (level === 0) found.push(...newest(db, ofLevel, views === 0 ? place : null, left));
    else found.push(...sorted(walkMatches(db, ofLevel)));
    if (found.length > limit) break;
  }
  return found.slice(0, limit + 1);
}
