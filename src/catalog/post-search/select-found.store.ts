import type { Database } from "../../db/database.ts";
import { selectPostsById } from "../posts/posts.store.ts";
import {
  type Asked,
  askedOf,
  type Counted,
  countMatches,
  type Match,
  readCandidates,
} from "./matches.store.ts";
import { mostViewed } from "./most-viewed.store.ts";
import { type Newest, newest } from "./newest.store.ts";
import type { FoundPage, FoundPosition, PostSearchSelection } from "./post-search.ts";
import { RANKED_MAX, rankByRelevance } from "./relevance.store.ts";
import { snippetOf } from "./snippet.ts";

/**
 * Texts that are tested for a page: 50 us each. A page that has not found enough in them ends behind the
 * last, and the next one goes on there.
 */
const TEXTS_MAX = 300;

/** A page of the posts that match. Nothing is found in channels that are not public. */
export function selectFoundPosts(db: Database, selection: PostSearchSelection): FoundPage {
  const asked = askedOf(db, selection);
  const counted = countMatches(db, asked);
  const { limit, query } = selection;
  const { matches, last } = findPage(db, asked, selection, counted);
  const posts = selectPostsById(
    db,
    matches.slice(0, limit).map(({ id }) => id),
  );
  return {
    results: posts.map((post) => ({ ...post, ...snippetOf(post.text, query) })),
    last: last === undefined ? null : positionOf(last, selection.ordering),
    ...counted,
  };
}

function positionOf(
  { views, published_at, id }: Match,
  ordering: PostSearchSelection["ordering"],
): FoundPosition {
  return ordering === "-views" ? [views, published_at, id] : [published_at, id];
}

/** Matches in their order, and behind which of the candidates the next page begins. */
interface Page {
  matches: Match[];
  last: Match | undefined;
}

function findPage(
  db: Database,
  asked: Asked,
  selection: PostSearchSelection,
  counted: Counted,
): Page {
  const { ordering, limit } = selection;
  const { hasText } = asked;
  if (ordering === "-relevance") {
    const candidates = readCandidates(db, asked, hasText === null ? RANKED_MAX : TEXTS_MAX);
    const matches = hasText === null ? candidates : candidates.filter(({ id }) => hasText(id));
    return { matches: rankByRelevance(db, asked, matches, selection), last: undefined };
  }
  const count = hasText === null ? limit + 1 : TEXTS_MAX + 1;
  const candidates =
    ordering === "-views"
      ? mostViewed(db, asked, selection.after, count, counted)
      : newest(db, asked, selection.after as Newest, count);
  if (hasText === null) {
    return {
      matches: candidates,
      last: candidates.length > limit ? candidates[limit - 1] : undefined,
    };
  }
  const matches: Match[] = [];
  for (const [at, candidate] of candidates.entries()) {
    if (matches.length === limit || at === TEXTS_MAX) return { matches, last: candidates[at - 1] };
    if (hasText(candidate.id)) matches.push(candidate);
  }
  return { matches, last: undefined };
}
