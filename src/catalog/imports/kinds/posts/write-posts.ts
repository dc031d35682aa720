import type { Database } from "../../../../db/database.ts";
import { message } from "../../../../values/messages/messages.ts";
import { type Day, dayOf } from "../../../../values/moscow-time.ts";
import { createLastPosts } from "../../../channels/channels.store.ts";
import { createMentions } from "../../../mentions/write-mentions.ts";
import { mergePostSearch } from "../../../post-search/catch-up.ts";
import { createPostIndex } from "../../../post-search/post-index.ts";
import { isMarkedAd } from "../../../posts/hidden-links.ts";
import { createTakeDown } from "../../../posts/manage-posts.ts";
import { noteReading, POST_FIELDS, type PostRecord } from "../../../posts/post.ts";
import { createPostRecords } from "../../../posts/posts.store.ts";
import { createTombstones, type Tombstone } from "../../../posts/tombstones.store.ts";
import { firstOpenDay, followPosts, markChangedDay } from "../../../statistics/open-days.ts";
import { INDEXED_MINIMUM } from "../../writing/import-paced.ts";
import { type ChannelLookup, createChannelLookup } from "../channel-lookup.ts";
import type { Given, ImportContext, ReadRow, RowOutcome, RowWriter } from "../import-kind.ts";
import { isSame, KeptOut, merge, RowFault, requirePast } from "../import-kind.ts";
import { createNamedPosts, type GivenPost, type PostRow } from "./named-posts.ts";

/**
 * Number of transactions after which segments of the post index are merged: each transaction writes one,
 * and FTS5 merges eight of a size.
 */
const MERGED_AFTER = 8;

export function createPostWriter(db: Database, context: ImportContext): RowWriter<PostRow> {
  const { clock, openDays, highestNumber = 0 } = context;
  const channels = createChannelLookup(db, context);
  const records = createPostRecords(db);
  const tombstones = createTombstones(db);
  const takeDown = createTakeDown(db);
  const changed = createChangedPosts(db, openDays);
  const mentions = createMentions(db, context.messengerHosts);
  const index = createPostIndex(db);
  const named = createNamedPosts(channels, records, tombstones, highestNumber);
  let commits = 0;

  function write(given: Given<PostRow>): RowOutcome {
    const row = named.byLink(given);
    const nowMs = clock.now();
    for (const name of TIMES) requirePast(name, row[name], nowMs);
    const stored = named.stored(row);
    const tombstone = stored === undefined ? named.tombstone(row) : undefined;
    if (row.deleted === true) return remove(row, stored, tombstone, nowMs);
    if (tombstone !== undefined && row.deleted !== false) return "unchanged";
    if (stored !== undefined && named.isAnother(row, stored)) return "kept_out";
    const base = tombstone === undefined ? stored : blankPost(tombstone);
    const read = withReadingTime(named.resolved(row, base), stored, nowMs);
    const newer = withoutOlder(read, stored);
    const post = merge(POST_FIELDS, newer, base, message("required"));
    if (post.views_at === null) post.views = 0;
    if (read.views != null && read.views_at != null) {
      noteReading(post, { views: read.views, readAt: read.views_at });
    }
    if (post.text !== stored?.text) {
      // Links are at places of the text.
      if (row.links === undefined) post.links = null;
      if (row.is_ad === undefined && isMarkedAd(post.text, post.links)) post.is_ad = 1;
    }
    if (row.id != null) named.requireFreeMessengerId(post);
    if (stored !== undefined && isSame(post, stored)) {
      // A forward from a channel outside the catalog is stored only as a mention.
      return mentions.write(post, stored, row.forwarded_from) ? "updated" : "unchanged";
    }
    if (stored === undefined) insert(post, tombstone, nowMs);
    else records.update(post);
    mentions.write(post, stored, row.forwarded_from);
    changed.note(post, stored, nowMs);
    index.collect(post, stored);
    return stored === undefined ? "inserted" : "updated";
  }

  /** Inserts a post, in place of its tombstone if it has one; a new post gets a number. */
  function insert(post: PostRecord, tombstone: Tombstone | undefined, nowMs: number): void {
    if (post.id === 0) post.id = named.nextNumber();
    // A post that returns while its tombstone exists is not sent to webhooks again.
    const isUnsent = tombstone !== undefined && tombstones.isUnsent(post.id);
    if (isUnsent) tombstones.remove(post.id);
    records.insert(post, nowMs);
    if (tombstone !== undefined && !isUnsent) tombstones.remove(post.id);
  }

  /**
   * Takes a post down. One that was never imported gets a tombstone too, because this row may precede it.
   * A row with nothing but a number reserves it, because a post that is gone had it.
   */
  function remove(
    row: Given<PostRow>,
    stored: PostRecord | undefined,
    tombstone: Tombstone | undefined,
    nowMs: number,
  ): RowOutcome {
    if (tombstone !== undefined) return "unchanged";
    if (stored !== undefined) {
      takeDown(stored, nowMs);
      index.reindex(stored.id);
      return "updated";
    }
    const messengerId = row.msgr_post_id ?? null;
    if (row.id != null && (row.channel ?? row.channel_msgr_id ?? messengerId) === null) {
      return records.keepNumber(row.id) ? "inserted" : "unchanged";
    }
    const channel = channels.find(row);
    const unseen = { id: row.id ?? named.nextNumber(), channel, msgr_post_id: messengerId };
    named.requireFreeMessengerId(unseen);
    const publishedAt = row.published_at ?? null;
    tombstones.add(unseen, { deletedAt: nowMs, publishedAt, isUnsent: true });
    return "inserted";
  }

  return {
    write,
    batchRows: ARRANGED_POSTS,
    arrange: (rows) => inOrderOfChannels(rows, channels),
    ahead(rows) {
      index.readTexts(
        rows.flatMap((row) => ("given" in row && row.given.text ? row.given.text : [])),
      );
    },
    minimumSize: () => (index.isOn() ? INDEXED_MINIMUM : undefined),
    beforeCommit() {
      channels.forget();
      changed.flush();
      index.write();
    },
    async afterCommit() {
      commits += 1;
      if (commits % MERGED_AFTER === 0) await mergePostSearch(db, clock);
    },
    async afterwards() {
      await mergePostSearch(db, clock);
      await followPosts(db, clock, openDays);
    },
  };
}

const TIMES = ["published_at", "edited_at", "views_at"] as const;

/** A post with a tombstone's identity and nothing else: the row must give `published_at`. */
function blankPost(tombstone: Tombstone): PostRecord {
  const blank: Record<string, unknown> = {};
  for (const [name, { initial }] of Object.entries(POST_FIELDS)) blank[name] = initial;
  return { ...(blank as PostRecord), ...tombstone };
}

/**
 * Sets when the views were read. Without a given time, they were read now if they differ from the stored
 * ones. A given null says that they were never read, which contradicts views above 0.
 */
function withReadingTime(
  row: Given<GivenPost>,
  stored: PostRecord | undefined,
  nowMs: number,
): Given<GivenPost> {
  if (row.views_at != null) return row;
  if (row.views_at === null && !row.views) return row;
  const isNew = row.views != null && row.views !== (stored?.views ?? 0);
  return { ...row, views_at: isNew ? nowMs : undefined };
}

/** Values that a reading of a post's numbers brings. */
const NUMBERS = ["views", "views_at", "forwards", "reactions", "comments"] as const;
const EDITED = ["text", "links", "media", "edited_at"] as const;

/**
 * The row without what is older than what is stored. A text without a time of its edit is as old as the
 * reading it came with.
 */
function withoutOlder(row: Given<GivenPost>, stored: PostRecord | undefined): Given<GivenPost> {
  if (stored === undefined) return row;
  let newer = row;
  if (isBefore(row.views_at, stored.views_at)) newer = without(newer, NUMBERS);
  if (isBefore(row.edited_at ?? row.views_at, stored.edited_at)) newer = without(newer, EDITED);
  return newer;
}

/** Whether both times are known and the first is the earlier one. */
function isBefore(one: number | null | undefined, other: number | null): boolean {
  return one != null && other !== null && one < other;
}

function without(row: Given<GivenPost>, names: readonly (keyof GivenPost)[]): Given<GivenPost> {
  const kept = { ...row };
  for (const name of names) delete kept[name];
  return kept;
}

/**
 * Number of posts that are read and sorted together, in some 100 MB of memory. In a file ordered by time,
 * each post belongs to a different page of the indexes by channel: the more posts are sorted, the more of
 * them share pages.
 */
const ARRANGED_POSTS = 30_000;

/**
 * Posts in the order of their channels, and within a channel as they come. Posts that bring a number stay
 * in their order: the number may belong to a post of any channel, and the table of posts is ordered by it.
 */
function inOrderOfChannels(
  rows: readonly ReadRow<PostRow>[],
  channels: ChannelLookup,
): readonly ReadRow<PostRow>[] {
  if (rows.some((row) => "given" in row && row.given.id != null)) return rows;
  const placed = rows.map((row) => ({ row, channel: "given" in row ? channelOf(row.given) : 0 }));
  channels.forget();
  return placed.sort((one, other) => one.channel - other.channel).map(({ row }) => row);

  function channelOf(given: Given<PostRow>): number {
    try {
      return channels.find(given);
    } catch (error) {
      // The row will be rejected, or kept out, when its turn comes.
      if (error instanceof RowFault || error instanceof KeptOut) return 0;
      throw error;
    }
  }
}

type Placed = Pick<PostRecord, "channel" | "published_at">;

/**
 * Collects what posts written by an import change elsewhere, to be updated before the next commit: the
 * channels' last posts, and the open days whose values are derived from posts.
 */
function createChangedPosts(db: Database, openDays: number) {
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
