import { type Database, statement } from "../../db/database.ts";
import { type JsonBytes, type JsonText, jsonValueOf, listBytesOf } from "../../values/json-text.ts";
import { JOIN_ORIGIN, POST_JSON, type PostView } from "./post.ts";

/** Posts in the order of the numbers; missing ones are omitted. */
export function selectPostsJson(db: Database, ids: readonly number[]): JsonBytes<PostView[]> {
  const found = statement<{ posts: Buffer | null }>(
    db,
    `SELECT CAST(group_concat(${POST_JSON}, ',') AS BLOB) AS posts
     FROM json_each(?) given CROSS JOIN posts p ON p.id = given.value ${JOIN_ORIGIN}`,
  ).get(JSON.stringify(ids));
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
  const posts = statement<{ id: number; json: JsonText<PostView> }>(
    db,
    `SELECT p.id, ${POST_JSON} AS json
     FROM json_each(?) given CROSS JOIN posts p ON p.id = given.value ${JOIN_ORIGIN}`,
  ).all(JSON.stringify(ids));
  return new Map(posts.map(({ id, json }) => [id, json]));
}

export function selectPost(db: Database, id: number): JsonText<PostView> | undefined {
  return statement<{ json: JsonText<PostView> }>(
    db,
    `SELECT ${POST_JSON} AS json FROM posts p CROSS JOIN channels c ON c.id = p.channel_id ${JOIN_ORIGIN}
     WHERE p.id = ? AND c.is_public = 1`,
  ).get(id)?.json;
}
