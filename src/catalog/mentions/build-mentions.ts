import type { BuildStep } from "../../db/background-builds.ts";
import { type Database, statement } from "../../db/database.ts";
import { createMentions, type MentioningPost } from "./write-mentions.ts";

/** Name of the background build, as stored and shown. */
export const MENTIONS_BUILD = "mentions";

/** Posts per step: a few ms even with the longest possible texts. */
const POSTS_PER_STEP = 20;

/**
 * Extracts mentions from posts stored before mentions existed. A post that was imported again meanwhile
 * already has its own; extracting them again gives the same result.
 */
export function mentionsStep(hosts: readonly string[]): BuildStep {
  return (tx, { afterId, untilId }) => {
    const posts = postsBetween(tx, afterId, untilId);
    const mentions = createMentions(tx, hosts);
    for (const post of posts) mentions.add(post);
    return posts.at(-1)?.id ?? null;
  };
}

function postsBetween(db: Database, afterId: number, untilId: number): MentioningPost[] {
  return statement<MentioningPost>(
    db,
    `SELECT id, channel_id AS channel, published_at, text, forwarded_from FROM posts
     WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
  ).all(afterId, untilId, POSTS_PER_STEP);
}
