import { createDirectory } from "../../../catalog/directory/directory.ts";
import { byTime } from "../../../catalog/post-search/finding/by-time.store.ts";
import { isMatch } from "../../../catalog/post-search/finding/match-tokens.ts";
import {
  incompleteNote,
  indexQueryOf,
  stemsNote,
} from "../../../catalog/post-search/finding/matches.store.ts";
import { snippetOf } from "../../../catalog/post-search/finding/snippet.ts";
import { type PostQuery, readPostQuery } from "../../../catalog/post-search/post-query.ts";
import type { PostFilter } from "../../../catalog/post-search/post-search.ts";
import { isSearched, selectState } from "../../../catalog/post-search/post-search-state.store.ts";
import { tokensOf } from "../../../catalog/post-search/tokens.ts";
import { selectPost } from "../../../catalog/posts/posts.store.ts";
import type { Database } from "../../../db/database.ts";
import { jsonValueOf } from "../../../values/json-text.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import { type AlertCriteria, satisfiesFilters } from "./alert-index.ts";
import type { PreviewView } from "./alert-views.ts";
import type { Recent } from "./match-posts.store.ts";
import { hasOlderPosts, readPostsById, readRecentPosts, toFacts } from "./match-posts.store.ts";

export const PREVIEW_DAYS = 7;
const SHOWN_MAX = 10;
/** Limits for the posts examined and for the length of their texts: about 0.3 s of a reader thread. */
const EXAMINED_MAX = 5_000;
const CHARACTERS_MAX = 5_000_000;

export type PreviewSelection = AlertCriteria & { nowMs: number };

export type AlertPreview = Omit<PreviewView, "note"> & { note: Message | null };

/** Posts that may match an alert. */
interface Candidates {
  /** In the order to examine them; read lazily. */
  posts: Iterable<Recent>;
  /** Why posts that were not examined may match; null if none can. @param isCut whether candidates were left */
  noteOf(examined: number, isCut: boolean): Message | null;
}

/**
 * Recent posts that match an alert, by the same rules as new posts; runs on a reader thread. The index of post
 * search names the posts to examine; without it, they are those read last.
 * @returns their number and the newest, newest first
 */
export function previewAlert(db: Database, { nowMs, ...criteria }: PreviewSelection): AlertPreview {
  const query = readPostQuery(criteria.q);
  const fromMs = nowMs - PREVIEW_DAYS * DAY_MS;
  const filter = filterOf(db, criteria, fromMs);
  if (query === null || filter === null) {
    return { matches: 0, matches_capped: false, note: null, results: [] };
  }
  const { posts, noteOf } = candidatesOf(db, query, filter, fromMs);
  const found: { id: number; publishedAt: number }[] = [];
  let examined = 0;
  let characters = 0;
  let isCut = false;
  for (const row of posts) {
    isCut = examined === EXAMINED_MAX || characters >= CHARACTERS_MAX;
    if (isCut) break;
    examined += 1;
    characters += row.text.length;
    if (
      row.publishedAt >= fromMs &&
      satisfiesFilters(criteria, toFacts(row)) &&
      isMatch(query, tokensOf(row.text))
    ) {
      found.push({ id: row.id, publishedAt: row.publishedAt });
    }
  }
  found.sort((one, other) => other.publishedAt - one.publishedAt || other.id - one.id);
  const results = found.slice(0, SHOWN_MAX).flatMap(({ id }) => {
    const json = selectPost(db, id);
    if (json === undefined) return [];
    const post = jsonValueOf(json);
    return [{ ...post, ...snippetOf(post.text, query) }];
  });
  const note = noteOf(examined, isCut) ?? stemsNote();
  return { matches: found.length, matches_capped: note !== null, note, results };
}

function candidatesOf(
  db: Database,
  query: PostQuery,
  filter: PostFilter,
  fromMs: number,
): Candidates {
  // One more tells whether there are more.
  const most = EXAMINED_MAX + 1;
  if (!isSearched(selectState(db).phase)) {
    const { channelId } = filter;
    const hasOlder = channelId === null && hasOlderPosts(db, most);
    return {
      posts: readRecentPosts(db, { channelId, fromMs, most }),
      noteOf: (examined, isCut) =>
        isCut || hasOlder ? message("previewOfLatest", { posts: examined }) : null,
    };
  }
  const indexQuery = indexQueryOf(db, { query, filter });
  const newest = byTime(db, indexQuery, { isOldestFirst: false, after: null, count: most });
  // The index's range begins with the day of `fromMs`; posts before it must not count as examined.
  const ids = newest.flatMap(({ id, published_at: at }) => (at >= fromMs ? [id] : []));
  return {
    posts: readPostsById(db, ids),
    noteOf(examined, isCut) {
      if (isCut) return message("previewOfNewest", { posts: examined });
      return incompleteNote(indexQuery);
    },
  };
}

/** An alert's filters as post search takes them; null if they name what the directories lack. */
function filterOf(
  db: Database,
  { channelId, category, territory, isAd }: AlertCriteria,
  fromMs: number,
): PostFilter | null {
  const directory = createDirectory(db);
  const categoryId = category === null ? null : directory.categoryId(category);
  const territoryId = territory === null ? null : directory.territoryId(territory);
  if ((category !== null && categoryId === null) || (territory !== null && territoryId === null)) {
    return null;
  }
  const others = { untilMs: null, media: null, viewsMin: null };
  return { channelId, categoryId, territoryId, isAd, fromMs, ...others };
}
