import type { Database } from "../../../../db/database.ts";
import { type Day, dayOf } from "../../../../values/moscow-time.ts";
import { createLastPosts } from "../../../channels/channels.store.ts";
import type { PostRecord } from "../../../posts/post.ts";
import { markChangedDay } from "../../../statistics/open-days.store.ts";
import { firstOpenDay } from "../../../statistics/open-days.ts";

type Placed = Pick<PostRecord, "channel" | "published_at">;

/**
 * Collects what posts written by an import change elsewhere, to be updated before the next commit: the
 * channels' last posts, and the open days whose values are derived from posts.
 */
export function createChangedPosts(db: Database, openDays: number) {
  const moveLastPost = createLastPosts(db);
  const newest = new Map<number, number>();
  const changed = new Map<number, Set<Day>>();

  function noteDay({ channel, published_at }: Placed, firstDay: Day): void {
    const day = dayOf(published_at);
    if (day < firstDay) return;
    const known = changed.get(channel);
    if (known === undefined) changed.set(channel, new Set([day]));
    else known.add(day);
  }

  return {
    /** @param before the post as it was stored; undefined for a new one */
    note(post: PostRecord, before: PostRecord | undefined, nowMs: number): void {
      const { channel, published_at } = post;
      newest.set(channel, Math.max(newest.get(channel) ?? 0, published_at));
      const isMoved = before?.channel !== channel || before.published_at !== published_at;
      if (!isMoved && before.views === post.views) return;
      const firstDay = firstOpenDay(nowMs, openDays);
      noteDay(post, firstDay);
      if (before !== undefined && isMoved) noteDay(before, firstDay);
    },

    /** Updates what was collected. Must be called before each commit. */
    flush(): void {
      for (const [channelId, publishedAt] of newest) moveLastPost(channelId, publishedAt);
      for (const [channelId, days] of changed) {
        for (const day of days) markChangedDay(db, channelId, day);
      }
      newest.clear();
      changed.clear();
    },
  };
}
