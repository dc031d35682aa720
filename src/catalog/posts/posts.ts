import type { Database } from "../../db/database.ts";
import { notFound } from "../../errors.ts";
import type { JsonText } from "../../values/json-text.ts";
import type { PostView } from "./post.ts";
import type { PostPage, PostSelection } from "./posts.store.ts";
import { isShort, selectPost, selectPosts } from "./posts.store.ts";

export type Posts = ReturnType<typeof createPosts>;

interface PostReaders {
  selectPosts(of: PostSelection): Promise<PostPage>;
  selectHabits(of: HabitsSelection): Promise<Habits>;
}

export function createPosts(db: Database, readers: PostReaders) {
  return {
    /**
     * A page of a channel's posts, newest first. Cheap pages are read here: passing them to a thread would
     * cost more.
     */
    page: (selection: PostSelection): PostPage | Promise<PostPage> =>
      isShort(selection) ? selectPosts(db, selection) : readers.selectPosts(selection),

    habits: (selection: HabitsSelection): Promise<Habits> => readers.selectHabits(selection),

    /** @throws AppError `not_found`, also for a post of a channel that is not public */
    post(id: number): JsonText<PostView> {
      const post = selectPost(db, id);
      if (post === undefined) throw notFound("post");
      return post;
    },
  };
}

export interface HabitsSelection {
  channelId: number;
  /** Inclusive. */
  fromMs: number;
  /** Exclusive. */
  untilMs: number;
}

/** Mean views, rounded, and the number of posts with a reading; null if there are none. */
type Reach = { views: number; posts: number } | null;

export interface Habits {
  posts: number;
  /** Whether the period has more posts, which were not examined. */
  isMore: boolean;
  ads: number;
  /** Mean views at each age at which any of the posts have a reading, of all and of advertising posts. */
  reach: { hours: number; all: Reach; ads: Reach }[];
  /** Posts by hour of the week in Moscow time, starting with Monday midnight. */
  hours: number[];
  /** Ids of the most viewed posts, most views first. */
  best: number[];
}
