import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import type { JsonText } from "../../values/json-text.ts";
import { shownPage } from "../../values/schema.ts";
import { idOfHandle } from "../channels/handles.store.ts";
import type { ChannelPageSelection, PostPosition } from "../posts/posts.store.ts";
import { selectPostTexts } from "../posts/posts.store.ts";
import type { Mention, MentionKind, MentionTarget } from "./mention.ts";
import { targetOfMessengerId, targetOfNumber } from "./mention.ts";

export interface MentionSelection extends ChannelPageSelection {
  kind: MentionKind | null;
}

export interface MentionPage {
  results: JsonText<Mention[]>;
  /** Null on the last page. */
  last: PostPosition | null;
}

/** Bit of each kind in the column `kinds`. */
export const KIND_BITS: Readonly<Record<MentionKind, number>> = { link: 1, forward: 2 };

/**
 * All names that lead to a channel now: its handle, its former handles that nobody has taken over, its
 * messenger id, its number, and the numbers and messenger ids of channels merged into it.
 */
function targetsOf(db: Database, channelId: number): MentionTarget[] {
  const sql = `
    SELECT lower(handle) AS target FROM channel_cards WHERE id = @id AND handle IS NOT NULL
    UNION ALL
    SELECT lower(had.handle) FROM former_handles had
    WHERE had.channel_id = @id AND ${idOfHandle("had.handle")} = @id
    UNION ALL
    SELECT '${targetOfMessengerId("")}' || msgr_id FROM channel_cards
    WHERE id = @id AND msgr_id IS NOT NULL
    UNION ALL
    SELECT '#' || id FROM removed_channels WHERE into_id = @id
    UNION ALL
    SELECT '${targetOfMessengerId("")}' || msgr_id FROM removed_channels
    WHERE into_id = @id AND msgr_id IS NOT NULL`;
  const names = statement<{ target: string }>(db, sql).all({ id: channelId });
  return [...new Set([targetOfNumber(channelId), ...names.map(({ target }) => target)])];
}

interface MentionRow {
  id: number;
  publishedAt: number;
  channelId: number;
}

/**
 * The newest posts of other public channels that mention a channel, without duplicates. For each of its
 * names there is an index scan for at most a page of posts, which skips the channel's own, because many
 * channels sign their posts with their handle.
 */
function newestMentions(
  db: Database,
  { channelId, fromMs, untilMs, kind, after, limit }: MentionSelection,
): MentionRow[] {
  const conditions = [WITHIN_DEADLINE, "m.target = @target", "m.channel_id <> @channelId"];
  if (kind !== null) conditions.push("m.kinds & @kind");
  if (fromMs !== null) conditions.push("m.published_at >= @fromMs");
  if (after !== null) conditions.push("(m.published_at, m.post_id) < (@atMs, @belowId)");
  else if (untilMs !== null) conditions.push("m.published_at < @untilMs");
  const sql = `SELECT m.post_id AS id, m.published_at AS publishedAt, m.channel_id AS channelId
    FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1
    WHERE ${conditions.join(" AND ")}
    ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit`;
  const ofTarget = statement<MentionRow>(db, sql);
  const values = {
    channelId,
    limit,
    fromMs,
    untilMs,
    kind: kind && KIND_BITS[kind],
    atMs: after?.[0] ?? null,
    belowId: after?.[1] ?? null,
  };
  const found = new Map<number, MentionRow>();
  for (const target of targetsOf(db, channelId)) {
    for (const row of ofTarget.all({ ...values, target })) found.set(row.id, row);
  }
  return [...found.values()].toSorted(newestFirst).slice(0, limit);
}

const newestFirst = (one: MentionRow, other: MentionRow): number =>
  other.publishedAt - one.publishedAt || other.id - one.id;

/**
 * The channels of the newest posts that mention a channel, newest post first; a channel comes once for each
 * of its posts.
 */
export function newestSources(db: Database, channelId: number, limit: number): number[] {
  const bounds = { fromMs: null, untilMs: null, kind: null, after: null };
  const mentions = newestMentions(db, { channelId, ...bounds, limit });
  return mentions.map(({ channelId: source }) => source);
}

/** The names in a channel's newest mentions, newest first; a name comes once for each of its posts. */
export function newestTargets(db: Database, channelId: number, limit: number): MentionTarget[] {
  const sql = `SELECT target FROM mentions WHERE channel_id = ?
    ORDER BY published_at DESC, post_id DESC LIMIT ?`;
  const rows = statement<{ target: MentionTarget }>(db, sql).all(channelId, limit);
  return rows.map(({ target }) => target);
}

/** Newest first; equal instants by descending id. */
export function selectMentions(db: Database, selection: MentionSelection): MentionPage {
  const { channelId, limit } = selection;
  // Reads one more than the page holds, to see whether another page follows.
  const found = newestMentions(db, { ...selection, limit: limit + 1 });
  const { shown, last } = shownPage(found, limit);
  const ids = shown.map(({ id }) => id);
  const posts = selectPostTexts(db, ids);
  const targets = JSON.stringify(targetsOf(db, channelId));
  const kindsOf = statement<{ link: number; forward: number }>(
    db,
    `SELECT max(m.kinds & 1) AS link, max(m.kinds & 2) AS forward
     FROM json_each(@targets) t CROSS JOIN mentions m
       ON m.target = t.value AND m.published_at = @publishedAt AND m.post_id = @id`,
  );
  const sourceOf = statement<{ json: string }>(
    db,
    `SELECT json_object('id', c.id, 'title', k.title, 'handle', k.handle,
       'subscribers', c.subscribers) AS json
     FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = @id`,
  );
  const items = shown.map(({ id, publishedAt, channelId: sourceId }) => {
    const kinds = kindsOf.get({ targets, publishedAt, id });
    const names = [...(kinds?.link ? ["link"] : []), ...(kinds?.forward ? ["forward"] : [])];
    const source = sourceOf.get({ id: sourceId })?.json ?? "null";
    const post = posts.get(id) ?? "{}";
    return `${post.slice(0, -1)},"kinds":${JSON.stringify(names)},"mentioned_by":${source}}`;
  });
  return {
    results: `[${items.join(",")}]` as JsonText<Mention[]>,
    last: last && [last.publishedAt, last.id],
  };
}
