import type { IndexedPost } from "../../catalog/post-search/index-text.ts";
import { dayOfRow, facetsText, indexWords } from "../../catalog/post-search/index-text.ts";
import type { Part } from "../../catalog/post-search/parts.store.ts";
import { isOutdated, selectParts, tableOf } from "../../catalog/post-search/parts.store.ts";
import { isIndexed, selectState } from "../../catalog/post-search/post-search-state.store.ts";
import { type Database, statement } from "../../db/database.ts";
import { formatDay } from "../../values/moscow-time.ts";
import type { CheckStep } from "./check.ts";
import { countOf, foundRows, openVocabulary } from "./finding.ts";

/**
 * Compares the post index with the posts: it must hold the same posts, and every token in as many posts and
 * positions, month by month. While the index is being built, or posts must be reindexed because their
 * channel changed, only the posts that it contains are compared, and not their tokens; nor those of an
 * outdated part.
 */
export function postSearchSteps(db: Database): CheckStep[] {
  const { phase } = selectState(db);
  if (!isIndexed(phase)) return [];
  const stale = statement(db, "SELECT 1 FROM post_search_stale LIMIT 1").get() !== undefined;
  const isWhole = phase === "ready" && !stale;
  const parts = selectParts(db).filter(({ state }) => state === "read");
  return [
    { name: "changed", faults: () => changed(db) },
    ...(isWhole ? [{ name: "missing", faults: () => missing(db) }] : []),
    ...parts.map((part) => ({
      name: monthOf(part),
      faults: () => [
        ...rowFaults(db, part),
        ...(isWhole && !isOutdated(part) ? differingTokens(db, part) : []),
      ],
    })),
  ];
}

const monthOf = ({ end_row }: Part) => formatDay(dayOfRow(end_row - 1)).slice(0, 7);

function changed(db: Database): string[] {
  return foundRows(db, {
    "Posts in the index that are gone or have changed since": `SELECT s.post_id AS name
     FROM searched_posts s LEFT JOIN posts p ON p.id = s.post_id
     WHERE p.id IS NULL OR p.channel_id <> s.channel_id
       OR p.published_at <> s.published_at OR p.views <> s.views`,
  });
}

function rowFaults(db: Database, part: Part): string[] {
  const { first_row, end_row } = part;
  const within = `row >= ${first_row} AND row < ${end_row}`;
  const rows = `${tableOf(part)}_docsize`;
  return foundRows(db, {
    "Posts without tokens in the index": `SELECT post_id AS name FROM searched_posts
     WHERE ${within} AND NOT EXISTS (SELECT 1 FROM ${rows} WHERE id = row)`,
    "Rows of the index that belong to no post": `SELECT id AS name FROM ${rows}
     WHERE NOT EXISTS (SELECT 1 FROM searched_posts WHERE row = ${rows}.id AND ${within})`,
  });
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

function differingTokens(db: Database, part: Part): string[] {
  const month = monthOf(part);
  const expected = tallies(db, part);
  const differing: string[] = [];
  const unnamed: string[] = [];
  const named = statement(db, "SELECT 1 FROM post_search_stems WHERE stem = ?");
  openVocabulary(db, "post_search_terms", `${tableOf(part)}, row`);
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
    ...countOf(`Tokens that the index of ${month} has for other posts`, differing),
    ...countOf(`Tokens that the index of ${month} does not have`, [...expected.keys()]),
    ...countOf("Stems that no prefix query (`word*`) would find", unnamed),
  ];
}

/** What a part must contain, computed from its posts. */
function tallies(db: Database, { first_row, end_row }: Part): Map<string, Tally> {
  const found = new Map<string, Tally>();
  const posts = statement<IndexedPost & { text: string }>(
    db,
    `SELECT p.channel_id, p.is_ad, p.views, p.media, p.text,
       t.facets AS channel_facets
     FROM searched_posts s CROSS JOIN posts p ON p.id = s.post_id
       CROSS JOIN channels c ON c.id = p.channel_id
       CROSS JOIN channel_texts t ON t.id = p.channel_id
     WHERE s.row >= ? AND s.row < ? AND c.is_public = 1`,
  );
  for (const post of posts.iterate(first_row, end_row)) {
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
