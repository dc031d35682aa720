import { type Database, statement } from "../../../db/database.ts";
import { WITHIN_DEADLINE } from "../../../db/deadline.ts";
import type { PostFacts } from "./alert-index.ts";

/** A post's text, and the facts that filters are tested on as the database stores them. */
interface FactsRow {
  text: string;
  channelId: number;
  isAd: number;
  category: string | null;
  categories: string | null;
  territories: string | null;
}

/** Columns of `FactsRow`. A post of a channel being merged already counts as the other channel's. */
const FACTS = `p.text, coalesce(m.into_id, p.channel_id) AS channelId, p.is_ad AS isAd, k.category,
  k.categories, t.path AS territories`;
const FACTS_JOINS = `
  LEFT JOIN removed_channels m ON m.id = p.channel_id
  LEFT JOIN channel_cards k ON k.id = coalesce(m.into_id, p.channel_id)
  LEFT JOIN territories t ON t.slug = k.territory`;

export function toFacts(row: FactsRow): PostFacts {
  const { category, categories, territories } = row;
  return {
    channelId: row.channelId,
    isAd: row.isAd === 1,
    categories: [...(category === null ? [] : [category]), ...(categories ?? "").split(" ")],
    territories: (territories ?? "").split("/"),
  };
}

const WAITING = `
  SELECT r.sequence, ${FACTS}
  FROM alert_posts r CROSS JOIN posts p ON p.id = r.post_id ${FACTS_JOINS}
  WHERE r.sequence > @after AND r.sequence <= @until ORDER BY r.sequence`;

/**
 * Posts to match, with sequences above `after` and up to `until`. Read lazily: until the iteration ends,
 * the connection can run no other statement.
 */
export function readAlertPosts(
  db: Database,
  range: { after: number; until: number },
): Iterable<FactsRow & { sequence: number }> {
  return statement<FactsRow & { sequence: number }>(db, WAITING).iterate(range);
}

/** A post that an alert's preview is tried on. */
export type Recent = FactsRow & { id: number; publishedAt: number };

const recentSql = (posts: string): string => `
  SELECT p.id, p.published_at AS publishedAt, ${FACTS}
  FROM ${posts} CROSS JOIN channels c ON c.id = p.channel_id ${FACTS_JOINS}
  WHERE ${WITHIN_DEADLINE} AND c.is_public = 1`;
/** A range of numbers, so that posts of channels that are not public cost no more than others. */
const OF_ALL = `${recentSql("posts p")} AND p.id > (SELECT coalesce(max(id), 0) FROM posts) - @most
  ORDER BY p.id DESC`;
const HAS_OLDER = `SELECT EXISTS (
  SELECT 1 FROM posts WHERE id <= (SELECT max(id) FROM posts) - @most)`;
const OF_CHANNEL = `${recentSql("posts p")} AND p.channel_id = @channelId AND p.published_at >= @fromMs
  ORDER BY p.published_at DESC, p.id DESC LIMIT @most`;
const WITH_IDS = recentSql("json_each(@ids) wanted CROSS JOIN posts p ON p.id = wanted.value");

/**
 * The posts of public channels read last; or, of one channel, those published since `fromMs`, newest first.
 * Read lazily, as `readAlertPosts`.
 */
export function readRecentPosts(
  db: Database,
  { channelId, fromMs, most }: { channelId: number | null; fromMs: number; most: number },
): Iterable<Recent> {
  return channelId === null
    ? statement<Recent>(db, OF_ALL).iterate({ most })
    : statement<Recent>(db, OF_CHANNEL).iterate({ channelId, fromMs, most });
}

/** Whether there are posts older than those that `readRecentPosts` reads without a channel. */
export const hasOlderPosts = (db: Database, most: number): boolean =>
  statement(db, HAS_OLDER).pluck<number>().get({ most }) === 1;

/** Those of the given posts that are of public channels, in the order given. Read lazily, as `readAlertPosts`. */
export const readPostsById = (db: Database, ids: readonly number[]): Iterable<Recent> =>
  statement<Recent>(db, WITH_IDS).iterate({ ids: JSON.stringify(ids) });

/** Join: the post's channel is public, or being merged into a public one. */
const SHOWN = `CROSS JOIN channels c ON c.id = p.channel_id AND (c.is_public = 1 OR EXISTS (
      SELECT 1 FROM removed_channels m CROSS JOIN channels i ON i.id = m.into_id
      WHERE m.id = c.id AND i.is_public = 1))`;

/**
 * Those of the given posts that an alert gets, oldest first: of a public channel, read since the alert last
 * changed, not sent for it yet, and published within the last two days. Each join, made in the written
 * order, finds one row by its key.
 */
const MATCHED = `
  SELECT p.id
  FROM alerts a
    CROSS JOIN json_each(@sequences) wanted
    CROSS JOIN alert_posts r ON r.sequence = wanted.value
      AND r.sequence > a.since_sequence AND r.sequence > a.cut_sequence
    CROSS JOIN posts p ON p.id = r.post_id
    ${SHOWN}
  WHERE a.id = @alertId AND p.published_at >= @freshFrom
  ORDER BY p.published_at, p.id LIMIT @limit`;

/** Numbers of the posts that an alert gets, as `MATCHED` says. */
export function selectMatched(
  db: Database,
  of: { alertId: number; sequences: readonly number[]; freshFrom: number; limit: number },
): number[] {
  return statement<{ id: number }>(db, MATCHED)
    .all({ ...of, sequences: JSON.stringify(of.sequences) })
    .map(({ id }) => id);
}

/** A post of a digest, as a mail shows it. */
export interface DigestPost {
  id: number;
  publishedAt: number;
  title: string;
  link: string | null;
  text: string;
}

const IN_DIGEST = `
  SELECT p.id, p.published_at AS publishedAt, k.title, p.link, p.text
  FROM alert_waiting w CROSS JOIN posts p ON p.id = w.post_id
    ${SHOWN}
    CROSS JOIN channel_cards k ON k.id = c.id
  WHERE w.alert_id = @alertId AND w.way = @way AND w.due_at <= @nowMs
  ORDER BY p.published_at, p.id`;

/** The posts of an alert's digest that are still public, oldest first. */
export function selectDigest(
  db: Database,
  of: { alertId: number; way: string; nowMs: number },
): DigestPost[] {
  return statement<DigestPost>(db, IN_DIGEST).all(of);
}
