import type { Database } from "../../db/database.ts";
import { dayOf } from "../../values/moscow-time.ts";
import { markChangedDay } from "../statistics/open-days.store.ts";
import type { PostRecord } from "./post.ts";
import { createPostRecords } from "./posts.store.ts";
import { createTombstones } from "./tombstones.store.ts";

/**
 * Returns a function that takes a post down: a tombstone keeps its number and messenger id, and everything
 * else is deleted. Because its row leaves `posts`, the post is gone from every index, list, count and
 * pending event. For the caller's transactions.
 */
export function createTakeDown(db: Database): (post: PostRecord, nowMs: number) => void {
  const posts = createPostRecords(db);
  const tombstones = createTombstones(db);
  return (post, nowMs) => {
    tombstones.add(post, {
      deletedAt: nowMs,
      publishedAt: post.published_at,
      isUnsent: tombstones.waitsForEvent(post),
    });
    posts.remove(post.id);
    tombstones.moveLastPostBack(post.channel, post.published_at);
    markChangedDay(db, post.channel, dayOf(post.published_at));
  };
}
