import type { Database } from "../../db/database.ts";
import { selectPostsById } from "../posts/shown-posts.store.ts";
import { type Asked, askedOf, type Counted, type Match } from "./matches.store.ts";
import { mostViewed } from "./most-viewed.store.ts";
import { type Newest, newest } from "./newest.store.ts";
import {
  newestCounted,
  newestOfTexts,
  newestRanked,
  newestTested,
  TEXTS_MAX,
} from "./newest-counted.store.ts";
import type { FoundPage, FoundPosition, PostSearchSelection } from "./post-search.ts";
import { rankByRelevance } from "./relevance.store.ts";
import { snippetOf } from "./snippet.ts";

/** A page of matching posts. Posts of channels that are not public are never found. */
export function selectFoundPosts(db: Database, selection: PostSearchSelection): FoundPage {
  const asked = askedOf(db, selection);
  const { limit, query } = selection;
  const { matches, last, counted } = findPage(db, asked, selection);
  const posts = selectPostsById(
    db,
    matches.slice(0, limit).map(({ id }) => id),
  );
  return {
    results: posts.map((post) => ({ ...post, ...snippetOf(post.text, query) })),
    last: last === undefined ? null : positionOf(last, selection.ordering),
    isCapped: counted.isCapped,
    // A page may test more texts than are counted.
    matches: Math.max(counted.matches, posts.length),
  };
}

/** A search candidate, and whether its text matches, which is read on demand. */
interface Candidate extends Pick<Match, "id" | "published_at"> {
  hasText(): boolean;
}

/** The newest candidates after a position, for going through all results of a search. */
export function foundAfter(
  db: Database,
  searched: Pick<PostSearchSelection, "query" | "filter">,
  after: Newest,
  count: number,
): Candidate[] {
  const asked = askedOf(db, searched);
  return newest(db, asked, after, count).found.map(({ id, published_at }) => ({
    ...{ id, published_at },
    hasText: () => asked.hasText?.(id) ?? true,
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

function findPage(db: Database, asked: Asked, selection: PostSearchSelection): Page {
  const { ordering, limit, after } = selection;
  const { hasText } = asked;
  if (ordering === "-views") {
    const count = hasText === null ? limit + 1 : TEXTS_MAX + 1;
    const { matches, counted } = mostViewed(db, asked, after, count);
    return { ...cutPage(asked, matches, limit), counted };
  }
  if (ordering === "-relevance") {
    const { candidates, counted } =
      hasText === null ? newestRanked(db, asked) : newestTested(db, asked, hasText);
    const matches = hasText === null ? candidates : candidates.filter(({ id }) => hasText(id));
    return { matches: rankByRelevance(db, asked, matches, selection), last: undefined, counted };
  }
  const { candidates, counted } =
    hasText === null
      ? newestCounted(db, asked, after as Newest, limit + 1)
      : newestOfTexts(db, asked, after as Newest, hasText);
  return { ...cutPage(asked, candidates, limit), counted };
}

/** @param candidates in order */
function cutPage(
  { hasText }: Asked,
  candidates: Match[],
  limit: number,
): Pick<Page, "matches" | "last"> {
  if (hasText === null) {
    const last = candidates.length > limit ? candidates[limit - 1] : undefined;
    return { matches: candidates, last };
  }
  const matches: Match[] = [];
  for (const [at, candidate] of candidates.entries()) {
    if (matches.length === limit || at === TEXTS_MAX) return { matches, last: candidates[at - 1] };
    if (hasText(candidate.id)) matches.push(candidate);
  }
  return { matches, last: undefined };
}
