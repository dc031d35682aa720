import { isMatch } from "../../../catalog/post-search/finding/match-tokens.ts";
import { snippetOf } from "../../../catalog/post-search/finding/snippet.ts";
import { readPostQuery } from "../../../catalog/post-search/post-query.ts";
import { tokensOf } from "../../../catalog/post-search/tokens.ts";
import { selectPost } from "../../../catalog/posts/posts.store.ts";
import type { Database } from "../../../db/database.ts";
import { jsonValueOf } from "../../../values/json-text.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import { type AlertCriteria, satisfiesFilters } from "./alert-index.ts";
import type { PreviewView } from "./alert-views.ts";
import { readRecentPosts, toFacts } from "./match-posts.store.ts";

export const PREVIEW_DAYS = 7;
const SHOWN_MAX = 10;
/** Limits for the posts examined and for the length of their texts: about 0.3 s of a reader thread. */
export const WALKED_MAX = 5_000;
const CHARACTERS_MAX = 5_000_000;

export type PreviewSelection = AlertCriteria & { nowMs: number };

/**
 * Recent posts that match an alert, by the same rules as new posts; runs on a reader thread.
 * @returns their number and the newest, newest first
 */
export function previewAlert(db: Database, { nowMs, ...criteria }: PreviewSelection): PreviewView {
  const query = readPostQuery(criteria.q);
  if (query === null) return { matches: 0, matches_capped: false, results: [] };
  const fromMs = nowMs - PREVIEW_DAYS * DAY_MS;
  const found: { id: number; publishedAt: number }[] = [];
  let walked = 0;
  let characters = 0;
  const { channelId } = criteria;
  for (const row of readRecentPosts(db, { channelId, fromMs, walkedMax: WALKED_MAX })) {
    walked += 1;
    characters += row.text.length;
    if (
      row.publishedAt >= fromMs &&
      satisfiesFilters(criteria, toFacts(row)) &&
      isMatch(query, tokensOf(row.text))
    ) {
      found.push({ id: row.id, publishedAt: row.publishedAt });
    }
    if (characters >= CHARACTERS_MAX) break;
  }
  found.sort((one, other) => other.publishedAt - one.publishedAt || other.id - one.id);
  const results = found.slice(0, SHOWN_MAX).flatMap(({ id }) => {
    const json = selectPost(db, id);
    if (json === undefined) return [];
    const post = jsonValueOf(json);
    return [{ ...post, ...snippetOf(post.text, query) }];
  });
  const isCapped = walked >= WALKED_MAX || characters >= CHARACTERS_MAX;
  return { matches: found.length, matches_capped: isCapped, results };
}
