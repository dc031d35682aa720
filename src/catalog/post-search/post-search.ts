import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import type { Media, PostView } from "../posts/post.ts";
import type { Snippet } from "./finding/snippet.ts";
import type { OverTime, OverTimeSelection } from "./over-time.ts";
import { isOutdated, selectParts } from "./parts.store.ts";
import type { PostQuery } from "./post-query.ts";
import type { PostSearchProgress } from "./post-search-state.store.ts";
import { isSearched, selectProgress, selectState } from "./post-search-state.store.ts";

/**
 * By time, equal instants by id; `-views` is descending, equal views newest first. `-relevance` ranks the
 * newest 2,000 matches.
 */
export const POST_ORDERINGS = ["-published_at", "published_at", "-views", "-relevance"] as const;
type PostOrdering = (typeof POST_ORDERINGS)[number];

/** Conditions on posts; null for those not requested. */
export interface PostFilter {
  channelId: number | null;
  /** One of the channel's categories, primary or additional. */
  categoryId: number | null;
  /** The channel's territory, or an ancestor of it. */
  territoryId: number | null;
  /** Inclusive. */
  fromMs: number | null;
  /** Exclusive. */
  untilMs: number | null;
  isAd: boolean | null;
  media: Media | null;
  viewsMin: number | null;
}

/** Position where a page ended: instant and id of its last post, and its views if ordered by them. */
export type FoundPosition =
  | readonly [publishedAt: number, id: number]
  | readonly [views: number, publishedAt: number, id: number];

export interface PostSearchSelection {
  query: PostQuery;
  filter: PostFilter;
  ordering: PostOrdering;
  after: FoundPosition | null;
  limit: number;
  /** The instant that posts' ages are measured from. */
  nowMs: number;
}

export interface FoundPost extends PostView, Snippet {}

export interface FoundPage {
  results: FoundPost[];
  /** Null on the last page. */
  last: FoundPosition | null;
  /** Number of matching posts, as far as they were counted. */
  matches: number;
  /** Whether there may be more. */
  isCapped: boolean;
  /** Tells what was not counted or ranked; null if everything was. */
  note: Message | null;
}

export type PostSearch = ReturnType<typeof createPostSearch>;

const building = (db: Database): AppError =>
  new AppError("unavailable", message("postSearchBuilding", selectProgress(db)));

/** Refuses while the index lacks posts, or words of some. @throws AppError `unavailable` with the progress */
export function requireWhole(db: Database): void {
  const isWhole = isSearched(selectState(db).phase) && !selectParts(db).some(isOutdated);
  if (!isWhole) throw building(db);
}

/**
 * Full-text search in public channels' posts.
 * @param isOn the setting
 * @param readers run potentially slow queries on reader threads
 */
export function createPostSearch(
  db: Database,
  isOn: boolean,
  readers: {
    selectFoundPosts(selection: PostSearchSelection): Promise<FoundPage>;
    selectOverTime(selection: OverTimeSelection): Promise<OverTime>;
  },
) {
  /** @throws AppError `unavailable` if it is off or not ready, saying which, and the progress */
  function requireReady(): void {
    if (!isOn) throw new AppError("unavailable", message("postSearchOff"));
    if (!isSearched(selectState(db).phase)) throw building(db);
  }

  return {
    requireReady,

    progress: (): PostSearchProgress => selectProgress(db),

    /** @throws AppError `unavailable` as `requireReady` */
    async page(selection: PostSearchSelection): Promise<FoundPage> {
      requireReady();
      return await readers.selectFoundPosts(selection);
    },

    /** @throws AppError `unavailable` as `requireReady` */
    async overTime(selection: OverTimeSelection): Promise<OverTime> {
      requireReady();
      return await readers.selectOverTime(selection);
    },
  };
}
