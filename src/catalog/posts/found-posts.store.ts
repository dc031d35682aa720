import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { foldText } from "../../values/fold-text.ts";
import type { PostsFound, PostsRequest } from "./manage-posts.ts";
import { POST_COLUMNS, type PostRecord } from "./post.ts";

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
