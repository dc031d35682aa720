import type { BuildStep } from "../../db/background-builds.ts";
import { type Database, statement } from "../../db/database.ts";
import type { PostRecord } from "../posts/post.ts";
import { createMentions } from "./write-mentions.ts";

/** The name of the build. */
export const MENTIONS_BUILD = "mentions";

/** Posts in one step: of the longest texts there can be, some ms. */
const POSTS_PER_STEP = 20;

type Row = Pick<PostRecord, "id" | "channel" | "published_at" | "text" | "forwarded_from">;

/**
 * Takes mentions out of posts that were stored before there were any. A post that was imported again
 * meanwhile has its own already; what its present text gives is the same.
 */
export function mentionsStep(hosts: readonly string[]): BuildStep {
  return (tx, { afterId, untilId }) => {
    const posts = postsBetween(tx, afterId, untilId);
    const mentions = createMentions(tx, hosts);
    for (const post of posts) mentions.add(post);
    return posts.at(-1)?.id ?? null;
  };
}

function postsBetween(db: Database, afterId: number, untilId: number): Row[] {
  return statement<Row>(
    db,
    `SELECT id, channel_id AS channel, published_at, text, forwarded_from FROM posts
     WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
  ).all(afterId, untilId, POSTS_PER_STEP);
}
