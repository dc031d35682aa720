import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inParts } from "../../db/transaction.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { followPosts } from "../statistics/open-days.ts";
import type { PostRecord } from "./post.ts";
import { createPostRecords } from "./posts.store.ts";
import { createTakeDown } from "./take-down.ts";

/** Changes of posts by staff and by command. */
export const postChanges = { deletePosts };

export interface ManagePosts {
  /**
   * Posts of any channel, public or not.
   * @throws AppError `not_found` for the first number that no post has
   */
  posts(ids: readonly number[]): PostRecord[];
  /**
   * Takes posts down; numbers of which there is no post are left out.
   * @returns how many were taken down
   */
  delete(ids: readonly number[], by: Actor): Promise<number>;
}

/** The operator's view of posts. */
export function createManagePosts(
  db: Database,
  changes: Calls<typeof postChanges>,
  openDays: number,
): ManagePosts {
  return {
    posts(ids) {
      const records = createPostRecords(db);
      return ids.map((id) => {
        const post = records.byId(id);
        if (post === undefined) throw notFound("post", id);
        return post;
      });
    },
    delete: (ids, by) => changes.deletePosts(ids, openDays, by),
  };
}

/** Takes each post down in a step of its own, with its audit entry; then the open days follow. */
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
    const target = `post ${id}` as const;
    await recordChange(tx, clock, by, { organizationId: null, action: "post.delete", target });
    deleted += 1;
    return true;
  });
  await followPosts(db, clock, openDays);
  return deleted;
}
