import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inParts } from "../../db/transaction.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { dayOf } from "../../values/moscow-time.ts";
import { followPosts, markChangedDay } from "../statistics/open-days.ts";
import type { PostRecord } from "./post.ts";
import { createPostRecords, type PostPosition } from "./posts.store.ts";
import { createTombstones } from "./tombstones.store.ts";

export const postChanges = { deletePosts };

export interface PostsRequest {
  /** Restricts to one channel's posts, latest first; null for all posts, by descending number. */
  channelId: number | null;
  /** Text that they must contain, compared as searches compare titles; empty for any. */
  text: string;
  /** Position to continue after; null to start at the beginning. */
  after: PostPosition | null;
  limit: number;
}

export interface PostsFound {
  posts: PostRecord[];
  /** Position after which there are more; null if there are none. */
  next: PostPosition | null;
}

export interface ManagePosts {
  /**
   * Posts of any channel, public or not.
   * @throws AppError `not_found` for the first number that does not exist
   */
  posts(ids: readonly number[]): PostRecord[];
  /** The same, ignoring numbers that do not exist. */
  known(ids: readonly number[]): PostRecord[];
  /**
   * Takes posts down, ignoring numbers that do not exist.
   * @returns how many were taken down
   */
  delete(ids: readonly number[], by: Actor): Promise<number>;
}

export function createManagePosts(
  db: Database,
  changes: Calls<typeof postChanges>,
  openDays: number,
): ManagePosts {
  const find = (id: number): PostRecord | undefined => createPostRecords(db).byId(id);
  return {
    posts: (ids) =>
      ids.map((id) => {
        const post = find(id);
        if (post === undefined) throw notFound("post", id);
        return post;
      }),
    known: (ids) => ids.flatMap((id) => find(id) ?? []),
    delete: (ids, by) => changes.deletePosts(ids, openDays, by),
  };
}

/**
 * Takes posts down, each in a step of its own with an audit entry, then recomputes the open days.
 */
async function deletePosts(
  db: Database,
  clock: Clock,
  ids: readonly number[],
  openDays: number,
  by: Actor,
): Promise<number> {
  const records = createPostRecords(db);
  const takeDown = createTakeDown(db);
  const left = [...ids];
  let deleted = 0;
  await inParts(db, clock, "delete-posts", async (tx) => {
    const id = left.shift();
    if (id === undefined) return false;
    const post = records.byId(id);
    if (post === undefined) return true;
    takeDown(post, clock.now());
    await recordChange(tx, clock, by, { action: "post.delete", id });
    deleted += 1;
    return true;
  });
  await followPosts(db, clock, openDays);
  return deleted;
}

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
