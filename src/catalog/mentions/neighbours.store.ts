import { type Database, statement } from "../../db/database.ts";
import { onceEach } from "../../values/kept-briefly.ts";
import { selectId } from "../channels/channels.store.ts";
import type { MentionTarget, Neighbour, Neighbours } from "./mention.ts";
import { mostFrequent, referenceOf } from "./mention.ts";
import { newestSources, newestTargets } from "./mentions.store.ts";

/** Limit for mentions to examine in each direction, newest first. */
const MENTIONS_MAX = 2_000;
const NEIGHBOURS_MAX = 12;

/** Who mentions a channel most often and whom it mentions most often, among the newest mentions. */
export function selectNeighbours(db: Database, channelId: number): Neighbours {
  return {
    mentionedBy: mostOf(db, newestSources(db, channelId, MENTIONS_MAX)),
    mentions: mostOf(db, newestMentioned(db, channelId)),
  };
}

/** For each of a channel's newest mentions the channel it names; omitted if not in the catalog. */
function newestMentioned(db: Database, channelId: number): number[] {
  const idOf = onceEach((target: MentionTarget) => selectId(db, referenceOf(target)));
  return newestTargets(db, channelId, MENTIONS_MAX)
    .flatMap((target) => idOf(target) ?? [])
    .filter((id) => id !== channelId);
}

/** The public channels whose ids occur most often, with their number of occurrences as `posts`. */
function mostOf(db: Database, ids: readonly number[]): Neighbour[] {
  const sql = `
    SELECT c.id, k.title, k.handle FROM channels c CROSS JOIN channel_cards k ON k.id = c.id
    WHERE c.id = ? AND c.is_public = 1`;
  const find = statement<Omit<Neighbour, "posts">>(db, sql);
  const found: Neighbour[] = [];
  for (const [id, posts] of mostFrequent(ids)) {
    const channel = find.get(id);
    if (channel !== undefined) found.push({ ...channel, posts });
    if (found.length === NEIGHBOURS_MAX) break;
  }
  return found;
}
