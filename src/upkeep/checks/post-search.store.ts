import { facetsText, type IndexedPost, indexWords } from "../../catalog/post-search/index-text.ts";
import { isOutdated, selectState } from "../../catalog/post-search/post-search-state.store.ts";
import { type Database, statement } from "../../db/database.ts";
import { countOf, foundRows, openVocabulary } from "./found-rows.ts";

/**
 * Compares the post index with the posts: it must hold the same posts, and every token in as many posts and
 * positions. While the index is being built or is outdated, or posts must be reindexed because their channel
 * changed, only the posts that it contains are compared, and not their tokens.
 */
export function postSearchFaults(db: Database): string[] {
  const state = selectState(db);
  const { phase } = state;
  if (phase === "off" || phase === "clearing") return [];
  const stale = statement(db, "SELECT 1 FROM post_search_stale LIMIT 1").get() !== undefined;
  return [
    ...foundRows(db, {
      "Posts in the index that are gone or have changed since": `SELECT s.post_id AS name
       FROM searched_posts s LEFT JOIN posts p ON p.id = s.post_id
       WHERE p.id IS NULL OR p.channel_id <> s.channel_id
         OR p.published_at <> s.published_at OR p.views <> s.views`,
      "Posts without tokens in the index": `SELECT post_id AS name FROM searched_posts
       WHERE NOT EXISTS (SELECT 1 FROM post_search_docsize WHERE id = row)`,
      "Rows of the index that belong to no post": `SELECT id AS name FROM post_search_docsize
       WHERE NOT EXISTS (SELECT 1 FROM searched_posts WHERE row = post_search_docsize.id)`,
    }),
    ...(phase === "ready" && !stale && !isOutdated(state)
      ? [...missing(db), ...differingTokens(db)]
      : []),
  ];
}

function missing(db: Database): string[] {
  return foundRows(db, {
    "Posts that are not in the index": `SELECT p.id AS name
     FROM posts p CROSS JOIN channels c ON c.id = p.channel_id
     WHERE c.is_public = 1 AND NOT EXISTS (SELECT 1 FROM searched_posts WHERE post_id = p.id)`,
  });
}

interface Tally {
  posts: number;
  places: number;
}

/** A token that is a stem, and none of the other kinds (index-text.ts). */
const STEM = /^[\p{L}\p{N}][^+]*$/u;

function differingTokens(db: Database): string[] {
  const expected = tallies(db);
  const differing: string[] = [];
  const unnamed: string[] = [];
  const named = statement(db, "SELECT 1 FROM post_search_stems WHERE stem = ?");
  openVocabulary(db, "post_search_terms", "post_search, row");
  const indexed = statement<Tally & { term: string }>(
    db,
    "SELECT term, doc AS posts, cnt AS places FROM temp.post_search_terms",
  );
  for (const { term, posts, places } of indexed.iterate()) {
    const tally = expected.get(term);
    expected.delete(term);
    if (tally?.posts !== posts || tally.places !== places) differing.push(term);
    // The opposite, a listed stem whose posts are gone, is not a fault.
    if (STEM.test(term) && named.get(term) === undefined) unnamed.push(term);
  }
  return [
    ...countOf("Tokens that the index has for other posts", differing),
    ...countOf("Tokens that the index does not have", [...expected.keys()]),
    ...countOf("Stems that no prefix query (`word*`) would find", unnamed),
  ];
}

/** What the index must contain, computed from the posts. */
function tallies(db: Database): Map<string, Tally> {
  const found = new Map<string, Tally>();
  const posts = statement<IndexedPost & { text: string }>(
    db,
    `SELECT p.channel_id, p.is_ad, p.views, p.media, p.text,
       t.search_text AS channel_text
     FROM posts p CROSS JOIN channels c ON c.id = p.channel_id
       CROSS JOIN channel_texts t ON t.id = p.channel_id
     WHERE c.is_public = 1`,
  );
  for (const post of posts.iterate()) {
    const seen = new Set<string>();
    const words = indexWords(post.text).tokens.toString();
    for (const token of (words + facetsText(post)).split(" ")) {
      if (token === "") continue;
      const tally = found.get(token) ?? { posts: 0, places: 0 };
      tally.places += 1;
      if (!seen.has(token)) tally.posts += 1;
      seen.add(token);
      found.set(token, tally);
    }
  }
  return found;
}
