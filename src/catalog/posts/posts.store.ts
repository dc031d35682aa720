import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { insertSql, updateSql } from "../../db/statement.ts";
import { foldText } from "../../values/fold-text.ts";
import type { Json, JsonBytes, JsonText } from "../../values/json-text.ts";
import { jsonTextOf, jsonValueOf, listBytesOf } from "../../values/json-text.ts";
import { shownPage } from "../../values/schema.ts";
import type { PostsFound, PostsRequest } from "./manage-posts.ts";
import type { PostRecord, PostView } from "./post.ts";
import { JOIN_ORIGIN, POST_COLUMNS, POST_FIELDS, POST_JSON } from "./post.ts";

/** Position where a page ended: the last post's publication instant and id. */
export type PostPosition = readonly [publishedAt: number, id: number];

/** A page of posts that relate to one channel: its own, or those that mention it. */
export interface ChannelPageSelection {
  channelId: number;
  /** Inclusive; null for no bound. */
  fromMs: number | null;
  /** Exclusive; null for no bound. */
  untilMs: number | null;
  after: PostPosition | null;
  limit: number;
}

export interface PostSelection extends ChannelPageSelection {
  isAd: boolean | null;
}

export interface PostPage {
  results: Json<PostView[]>;
  /** Null on the last page. */
  last: PostPosition | null;
}

/**
 * SQL: whether the views of `posts p` were ever read. A number above 0 says so without the pages of the
 * text, which `views_at` is stored after.
 */
export const ARE_VIEWS_KNOWN = "(p.views > 0 OR p.views_at IS NOT NULL)";

/**
 * Whether the page's posts lie consecutively in an index. They do not if advertising is left out, because
 * it lies between them.
 */
export function isShort({ isAd }: PostSelection): boolean {
  return isAd !== false;
}

/**
 * A page of a channel's posts, newest first; equal instants by descending id. Both orders match the index,
 * so nothing is sorted.
 */
export function selectPosts(db: Database, selection: PostSelection): PostPage {
  const { limit } = selection;
  // Reads one more than the page holds, to see whether another page follows.
  const positions: Position[] = [];
  for (const segment of segments(selection)) {
    if (positions.length > limit) break;
    positions.push(...selectSegment(db, selection, segment, limit + 1 - positions.length));
  }
  const { shown, last } = shownPage(positions, limit);
  const ids = shown.map(({ id }) => id);
  return {
    results: selectPostsJson(db, ids),
    last: last && [last.publishedAt, last.id],
  };
}

/** The same as `selectPosts`, with posts as text, which can be passed between threads. */
export function selectPostsText(db: Database, selection: PostSelection): PostPage {
  const { results, last } = selectPosts(db, selection);
  return { results: jsonTextOf(results), last };
}

interface Position {
  id: number;
  publishedAt: number;
}

/** Posts between two instants, or those of one instant below an id. */
type Segment =
  | { fromMs: number | null; untilMs: number | null }
  | { atMs: number; belowId: number };

/**
 * Splits a page at its position, so that the index is entered exactly there, however many posts share the
 * instant.
 */
function segments({ fromMs, untilMs, after }: PostSelection): Segment[] {
  if (after === null) return [{ fromMs, untilMs }];
  const [atMs, belowId] = after;
  const from = fromMs ?? Number.NEGATIVE_INFINITY;
  const until = untilMs ?? Number.POSITIVE_INFINITY;
  const tied = atMs >= from && atMs < until ? [{ atMs, belowId }] : [];
  return [...tied, { fromMs, untilMs: Math.min(until, atMs) }];
}

function selectSegment(
  db: Database,
  selection: PostSelection,
  segment: Segment,
  limit: number,
): Position[] {
  const conditions = [isShort(selection) ? "1" : WITHIN_DEADLINE, "p.channel_id = ?"];
  const values: number[] = [selection.channelId];
  const require = (condition: string, value: number | null): void => {
    if (value === null) return;
    conditions.push(condition);
    values.push(value);
  };
  if (selection.isAd !== null) conditions.push(selection.isAd ? "p.is_ad = 1" : "p.is_ad = 0");
  if ("atMs" in segment) {
    require("p.published_at = ?", segment.atMs);
    require("p.id < ?", segment.belowId);
  } else {
    require("p.published_at >= ?", segment.fromMs);
    require("p.published_at < ?", segment.untilMs);
  }
  const sql = `
    SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE ${conditions.join(" AND ")}
    ORDER BY p.published_at DESC, p.id DESC LIMIT ?`;
  return statement<Position>(db, sql).all(...values, limit);
}

/** Text of a post, public or not; undefined if there is no such post. */
export function selectText(db: Database, id: number): string | undefined {
  return statement<{ text: string }>(db, "SELECT text FROM posts WHERE id = ?").get(id)?.text;
}

export function selectTexts(db: Database, ids: readonly number[]): { id: number; text: string }[] {
  const sql = "SELECT p.id, p.text FROM json_each(?) r CROSS JOIN posts p ON p.id = r.value";
  return statement<{ id: number; text: string }>(db, sql).all(JSON.stringify(ids));
}

/** Null if the channel has no posts. */
export function newestPostAt(db: Database, channelId: number): number | null {
  const sql = "SELECT max(published_at) AS at FROM posts WHERE channel_id = ?";
  return statement<{ at: number | null }>(db, sql).get(channelId)?.at ?? null;
}

/** Messenger ids of an album's posts, first post first, among those of a channel between two numbers. */
export function albumPostIds(
  db: Database,
  channelId: number,
  album: string,
  { from, to }: { from: number; to: number },
): number[] {
  const sql = `SELECT msgr_post_id AS id FROM posts
    WHERE channel_id = ? AND msgr_post_id BETWEEN ? AND ? AND album = ? ORDER BY msgr_post_id`;
  return statement<{ id: number }>(db, sql)
    .all(channelId, from, to, album)
    .map(({ id }) => id);
}

/** Finds and writes posts for imports, inside the caller's transactions. */
export function createPostRecords(db: Database) {
  const columns = Object.keys(POST_FIELDS).map((name) =>
    name === "channel" ? "channel_id" : name,
  );
  const byId = statement<PostRecord>(db, `SELECT ${POST_COLUMNS} FROM posts p WHERE p.id = ?`);
  const byMessengerId = statement<PostRecord>(
    db,
    `SELECT ${POST_COLUMNS} FROM posts p WHERE p.channel_id = ? AND p.msgr_post_id = ?`,
  );
  const nextNumber = statement<{ id: number }>(
    db,
    "SELECT max(highest, coalesce((SELECT max(id) FROM posts), 0)) + 1 AS id FROM post_numbers",
  );
  const keepNumber = statement(db, "UPDATE post_numbers SET highest = @id WHERE highest < @id");
  const insert = statement(db, insertSql("posts", [...columns, "read_at"]));
  const update = statement(db, updateSql("posts", columns));
  const remove = statement(db, "DELETE FROM posts WHERE id = ?");
  const toRow = ({ channel, ...rest }: PostRecord) => ({ ...rest, channel_id: channel });
  return {
    byId: (id: number): PostRecord | undefined => byId.get(id),
    byMessengerId: (channelId: number, messengerId: string): PostRecord | undefined =>
      byMessengerId.get(channelId, messengerId),

    /** A number that no post has ever had, including those taken down. */
    nextNumber: (): number => nextNumber.get()?.id ?? 1,

    /**
     * Records a number that a post once had, so that it is not reused. @returns whether it was not yet
     * recorded
     */
    keepNumber: (id: number): boolean => keepNumber.run({ id }).changes > 0,

    insert(record: PostRecord, readAt: number): void {
      insert.run({ ...toRow(record), read_at: readAt });
    },

    update(record: PostRecord): void {
      update.run(toRow(record));
    },

    remove(id: number): void {
      remove.run(id);
    },
  };
}

const OF_CHANNEL = `SELECT ${POST_COLUMNS} FROM posts p
  WHERE ${WITHIN_DEADLINE} AND p.channel_id = @channelId
    AND (p.published_at, p.id) < (@publishedAt, @id)
  ORDER BY p.published_at DESC, p.id DESC`;

const OF_ALL = `SELECT ${POST_COLUMNS} FROM posts p
  WHERE ${WITHIN_DEADLINE} AND p.id < @id
  ORDER BY p.id DESC`;

/**
 * Posts for the operator, as stored, including those of hidden channels. They are scanned in order until
 * enough contain the text.
 * @throws AppError `timeout`
 */
export function foundPosts(db: Database, request: PostsRequest): PostsFound {
  const { channelId, after, limit } = request;
  const text = foldText(request.text);
  const [publishedAt, id] = after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const rows =
    channelId === null
      ? statement<PostRecord>(db, OF_ALL).iterate({ id })
      : statement<PostRecord>(db, OF_CHANNEL).iterate({ channelId, publishedAt, id });
  const posts: PostRecord[] = [];
  for (const post of rows) {
    if (!foldText(post.text).includes(text)) continue;
    const last = posts.at(-1);
    if (last !== undefined && posts.length === limit) {
      return { posts, next: [last.published_at, last.id] };
    }
    posts.push(post);
  }
  return { posts, next: null };
}

/** Posts in the order of the numbers; missing ones are omitted. */
export function selectPostsJson(db: Database, ids: readonly number[]): JsonBytes<PostView[]> {
  const sql = `SELECT CAST(group_concat(${POST_JSON}, ',') AS BLOB) AS posts
    FROM json_each(?) given CROSS JOIN posts p ON p.id = given.value ${JOIN_ORIGIN}`;
  const found = statement<{ posts: Buffer | null }>(db, sql).get(JSON.stringify(ids));
  return listBytesOf(found?.posts ?? null);
}

export function selectPostsById(db: Database, ids: readonly number[]): PostView[] {
  return jsonValueOf(selectPostsJson(db, ids));
}

/** Each of the posts by its number, in the order of the numbers; missing ones are omitted. */
export function selectPostTexts(
  db: Database,
  ids: readonly number[],
): Map<number, JsonText<PostView>> {
  const sql = `SELECT p.id, ${POST_JSON} AS json
    FROM json_each(?) given CROSS JOIN posts p ON p.id = given.value ${JOIN_ORIGIN}`;
  const posts = statement<{ id: number; json: JsonText<PostView> }>(db, sql).all(
    JSON.stringify(ids),
  );
  return new Map(posts.map(({ id, json }) => [id, json]));
}

export function selectPost(db: Database, id: number): JsonText<PostView> | undefined {
  const sql = `
    SELECT ${POST_JSON} AS json FROM posts p CROSS JOIN channels c ON c.id = p.channel_id ${JOIN_ORIGIN}
    WHERE p.id = ? AND c.is_public = 1`;
  return statement<{ json: JsonText<PostView> }>(db, sql).get(id)?.json;
}
