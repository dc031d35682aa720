import type { Database } from "../../db/database.ts";
import { dayOf } from "../../values/moscow-time.ts";
import { markChangedDay } from "../statistics/open-days.store.ts";
import type { PostRecord } from "./post.ts";
import { createPostRecords } from "./posts.store.ts";
import { createTombstones } from "./tombstones.store.ts";

/**
 * Takes posts down: a tombstone keeps the number and the messenger's id, and everything else is deleted.
 * The row leaves `posts`, so it is gone from every index, list, count and pending event. Called inside
 * transactions.
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
