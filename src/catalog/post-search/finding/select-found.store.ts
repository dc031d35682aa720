import type { Database } from "../../../db/database.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { selectPostsById } from "../../posts/posts.store.ts";
import type { FoundPage, FoundPosition, PostSearchSelection } from "../post-search.ts";
import { byTime, byTimeOfRows, type TimePosition } from "./by-time.store.ts";
import {
  type Counted,
  countMatches,
  type IndexQuery,
  incompleteNote,
  indexQueryOf,
  lookUp,
  type Match,
  mostViewedOf,
  ofCertain,
  readCandidates,
  stemsNote,
  testTexts,
  UNBOUNDED,
  type ViewsPosition,
} from "./matches.store.ts";
import { byLevels } from "./most-viewed.store.ts";
import { RANKED_MAX, rankByRelevance } from "./relevance.store.ts";
import { snippetOf } from "./snippet.ts";

/** A page of matching posts. Posts of channels that are not public are never found. */
export function selectFoundPosts(db: Database, selection: PostSearchSelection): FoundPage {
  const indexQuery = indexQueryOf(db, selection);
  const { limit, query } = selection;
  const { matches, last, counted } = findPage(db, indexQuery, selection);
  const posts = selectPostsById(
    db,
    matches.slice(0, limit).map(({ id }) => id),
  );
  return {
    results: posts.map((post) => ({ ...post, ...snippetOf(post.text, query) })),
    last: last === undefined ? null : positionOf(last, selection.ordering),
    isCapped: counted.isCapped,
    // A page may test other texts than the count, and so find more.
    matches: Math.max(counted.matches, posts.length),
    note: noteOf(counted, selection) ?? incompleteNote(indexQuery) ?? stemsNote(),
  };
}

/** Tells that texts were left, or matches not ranked; null if not. */
function noteOf(counted: Counted, { ordering }: PostSearchSelection): Message | null {
  const { tested, matches } = counted;
  if (tested !== null) return message("postsUntested", { posts: tested });
  const isRanked = ordering === "-relevance" && matches > RANKED_MAX;
  return isRanked ? message("newestRanked", { posts: RANKED_MAX }) : null;
}

/** A search candidate, and whether its text matches, which is read on demand. */
interface Candidate extends Pick<Match, "id" | "published_at"> {
  hasText(): boolean;
}

/** The newest candidates after a position, for exports of all results of a search. */
export function foundAfter(
  db: Database,
  searched: Pick<PostSearchSelection, "query" | "filter">,
  after: TimePosition,
  count: number,
): Candidate[] {
  const indexQuery = indexQueryOf(db, searched);
  const slice = { isOldestFirst: false, after, count };
  return byTime(db, indexQuery, slice).map(({ id, published_at }) => ({
    id,
    published_at,
    hasText: () => indexQuery.texts?.has(id) ?? true,
  }));
}

function positionOf(
  { views, published_at, id }: Match,
  ordering: PostSearchSelection["ordering"],
): FoundPosition {
  return ordering === "-views" ? [views, published_at, id] : [published_at, id];
}

interface Page {
  /** Posts in order: as many as are shown, or a few more. */
  matches: Match[];
  /** Candidate after which the next page starts. */
  last: Match | undefined;
  counted: Counted;
}

/**
 * Limit for texts tested for a page: 10 us each, several times that on a busy machine. A page that is not full by then
 * ends after the last of them, and the next page continues there.
 */
const TEXTS_MAX = 200;

function findPage(db: Database, indexQuery: IndexQuery, selection: PostSearchSelection): Page {
  const { ordering, limit, after } = selection;
  const counted = countMatches(db, indexQuery);
  if (ordering === "-relevance") {
    const newest = newestMatches(db, indexQuery, counted);
    const matches = rankByRelevance(db, indexQuery, newest, selection);
    return { matches, last: undefined, counted };
  }
  const { rows } = counted;
  // FTS5 would scan its lists again for rows that are known, which dominates a search for terms that rarely occur together.
  const texts = rows === null ? indexQuery.texts : null;
  const count = texts === null ? limit + 1 : TEXTS_MAX + 1;
  let candidates: Match[];
  if (ordering === "-views") {
    const position = (after ?? [UNBOUNDED, UNBOUNDED, 0]) as ViewsPosition;
    candidates =
      rows === null
        ? byLevels(db, indexQuery, position, count)
        : mostViewedOf(db, rows, position, count);
  } else {
    const isOldestFirst = ordering === "published_at";
    const slice = { isOldestFirst, after: after as TimePosition, count };
    candidates = rows === null ? byTime(db, indexQuery, slice) : byTimeOfRows(db, rows, slice);
  }
  return { ...cutPage(texts, candidates, limit), counted };
}

/** The newest matches, to rank; if texts are left to test, the newest of those that are known. */
function newestMatches(db: Database, indexQuery: IndexQuery, counted: Counted): Match[] {
  if (counted.rows !== null) return [...lookUp(db, counted.rows.slice(-RANKED_MAX).reverse())];
  const certain = readCandidates(db, ofCertain(indexQuery), RANKED_MAX);
  const low = certain[RANKED_MAX - 1]?.row ?? indexQuery.low;
  const found = counted.found ?? testTexts(db, { ...indexQuery, low }, RANKED_MAX).found;
  return certain
    .concat(found)
    .sort((one, other) => other.row - one.row)
    .slice(0, RANKED_MAX);
}

/** @param candidates in order */
function cutPage(
  texts: IndexQuery["texts"],
  candidates: Match[],
  limit: number,
): Pick<Page, "matches" | "last"> {
  if (texts === null) {
    const last = candidates.length > limit ? candidates[limit - 1] : undefined;
    return { matches: candidates, last };
  }
  const matches: Match[] = [];
  for (const [at, candidate] of candidates.entries()) {
    if (matches.length === limit || at === TEXTS_MAX) return { matches, last: candidates[at - 1] };
    if (texts.has(candidate.id)) matches.push(candidate);
  }
  return { matches, last: undefined };
}
