import type { Database } from "../../../db/database.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { selectPostsById } from "../../posts/posts.store.ts";
import type { FoundPage, FoundPosition, PostSearchSelection } from "../post-search.ts";
import {
  byTime,
  byTimeCounted,
  newestRanked,
  TEXTS_MAX,
  type TimePosition,
} from "./by-time.store.ts";
import {
  type Counted,
  type IndexQuery,
  indexQueryOf,
  isIncomplete,
  type Match,
  stemsNote,
} from "./matches.store.ts";
import { mostViewed } from "./most-viewed.store.ts";
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
    note: isIncomplete(indexQuery) ? message("postsRenewing") : noteOf(counted, selection),
  };
}

function noteOf(counted: Counted, { ordering }: PostSearchSelection): Message | null {
  const { tested, matches } = counted;
  if (tested !== null) return message("postsUntested", { posts: tested });
  const isRanked = ordering === "-relevance" && matches > RANKED_MAX;
  return isRanked ? message("newestRanked", { posts: RANKED_MAX }) : stemsNote();
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

function findPage(db: Database, indexQuery: IndexQuery, selection: PostSearchSelection): Page {
  const { ordering, limit, after } = selection;
  const { texts } = indexQuery;
  if (ordering === "-views") {
    const count = texts === null ? limit + 1 : TEXTS_MAX + 1;
    const { matches, counted } = mostViewed(db, indexQuery, after, count);
    return { ...cutPage(indexQuery, matches, limit), counted };
  }
  if (ordering === "-relevance") {
    const { candidates, counted } = newestRanked(db, indexQuery);
    return {
      matches: rankByRelevance(db, indexQuery, candidates, selection),
      last: undefined,
      counted,
    };
  }
  const { candidates, counted } = byTimeCounted(db, indexQuery, {
    isOldestFirst: ordering === "published_at",
    after: after as TimePosition,
    count: limit + 1,
  });
  return { ...cutPage(indexQuery, candidates, limit), counted };
}

/** @param candidates in order */
function cutPage(
  { texts }: IndexQuery,
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
