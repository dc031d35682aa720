import { type Database, statement } from "../../db/database.ts";
import { type JsonText, toJsonText } from "../../values/json-text.ts";
import type { ChannelRecord } from "../channels/card.ts";
import { categorySlugs, selectId } from "../channels/channels.store.ts";
import { type CatalogFilter, NO_FILTER } from "../search/catalog.ts";
import { findChannels } from "../search/find-channels.store.ts";
import type { MentionTarget, SimilarChannel, SimilarReason } from "./mention.ts";
import { mostFrequent, referenceOf } from "./mention.ts";
import { newestSources, newestTargets } from "./mentions.store.ts";

export interface Similarity {
  /** Score out of 100, not rounded. */
  points: number;
  reasons: SimilarReason[];
}

/** Points for each reason, as documented for customers in mentions.md. */
const MENTIONED_TOGETHER = 50;
const SAME_CATEGORY = 25;
const SHARED_CATEGORY = 15;
const SAME_TERRITORY = 10;
const NEAR_SIZE = 15;
/** In doublings: up to twice or half the size is near; points for size reach zero at sixteen times. */
const NEAR_DOUBLINGS = 1;
const FAR_DOUBLINGS = 4;

/**
 * Score of another channel, which is mentioned together with this one or shares a category: a similar size
 * or territory alone means nothing.
 * @param part share, 0 to 1, of those who mention this channel that mention the other too; weighted
 */
function similarityOf(channel: Compared, other: Compared, part: number): Similarity {
  const reasons: SimilarReason[] = [];
  let points = MENTIONED_TOGETHER * part;
  if (part > 0) reasons.push("mentioned_together");
  const slugs = categorySlugs(channel);
  if (channel.category !== null && channel.category === other.category) {
    points += SAME_CATEGORY;
    reasons.push("same_category");
  } else if (categorySlugs(other).some((slug) => slugs.includes(slug))) {
    points += SHARED_CATEGORY;
    reasons.push("shared_category");
  }
  if (channel.territory !== null && channel.territory === other.territory) {
    points += SAME_TERRITORY;
    reasons.push("same_territory");
  }
  const doublings = Math.abs(Math.log2((channel.subscribers + 1) / (other.subscribers + 1)));
  points += NEAR_SIZE * Math.max(0, 1 - doublings / FAR_DOUBLINGS);
  if (doublings <= NEAR_DOUBLINGS) reasons.push("near_size");
  return { points, reasons };
}

/** Limit for mentions of the channel, the newest; this and the next four bound the work for any channel. */
const MENTIONS_MAX = 2_000;
/** Limit for sources: the channels that make most of these mentions. */
const SOURCES_MAX = 200;
/** Limit for mentions by each source, the newest. */
const MENTIONS_OF_SOURCE_MAX = 100;
/** Limit for names in them, by weight, and for the channels that these lead to. */
const TARGETS_MAX = 1_000;
const CANDIDATES_MAX = 200;
/** Limit for each of the searches for channels of the same category and similar size. */
const NEIGHBOURS_MAX = 50;
const SIMILAR_MAX = 20;

/** What similarity is computed from, for a public channel. */
export type Compared = Pick<
  ChannelRecord,
  "id" | "title" | "handle" | "kind" | "subscribers" | "category" | "categories" | "territory"
>;

interface MentionedTogether {
  shared: number;
  /** Their share, 0 to 1, of the weight of all who mention the first: who mentions many weighs less. */
  part: number;
}

type Found = Compared & Similarity & Pick<SimilarChannel, "shared">;

/** Up to 20 channels similar to a public one, most similar first; ties by ascending id. */
export function selectSimilar(db: Database, channelId: number): JsonText<SimilarChannel[]> {
  const channel = compared(db, channelId);
  if (channel === undefined) return toJsonText([]);
  const together = mentionedTogether(db, channelId);
  const ids = new Set([...together.keys(), ...neighbours(db, channel)]);
  ids.delete(channelId);
  const found: Found[] = [];
  for (const id of ids) {
    const other = compared(db, id);
    if (other === undefined || other.kind !== channel.kind) continue;
    const { shared, part } = together.get(id) ?? { shared: 0, part: 0 };
    found.push({ ...other, ...similarityOf(channel, other, part), shared });
  }
  found.sort((one, other) => other.points - one.points || one.id - other.id);
  return toJsonText(found.slice(0, SIMILAR_MAX).map(shown));
}

function shown({ points, shared, reasons, ...other }: Found): SimilarChannel {
  const { id, title, handle, subscribers, category, territory } = other;
  const score = Math.max(1, Math.round(points));
  return { id, title, handle, subscribers, category, territory, score, shared, reasons };
}

function compared(db: Database, id: number): Compared | undefined {
  const sql = `
    SELECT c.id, k.title, k.handle, c.kind, c.subscribers, k.category, k.categories, k.territory
    FROM channels c CROSS JOIN channel_cards k ON k.id = c.id
    WHERE c.id = ? AND c.is_public = 1`;
  return statement<Compared>(db, sql).get(id);
}

/** Channels mentioned by those who mention a channel, by id; those with the highest weight. */
function mentionedTogether(db: Database, channelId: number): Map<number, MentionedTogether> {
  const sources = sourcesOf(db, channelId);
  const weights = new Map<number, number>();
  const byTarget = new Map<MentionTarget, number[]>();
  for (const source of sources) {
    const targets = new Set(newestTargets(db, source, MENTIONS_OF_SOURCE_MAX));
    weights.set(source, 1 / Math.log2(1 + targets.size));
    for (const target of targets) {
      const mentioning = byTarget.get(target);
      if (mentioning === undefined) byTarget.set(target, [source]);
      else mentioning.push(source);
    }
  }
  const weigh = (mentioning: Iterable<number>): number => {
    let sum = 0;
    for (const source of mentioning) sum += weights.get(source) ?? 0;
    return sum;
  };
  const heaviest = [...byTarget]
    .map(([target, mentioning]) => ({ target, mentioning, weight: weigh(mentioning) }))
    .sort((one, other) => other.weight - one.weight || (one.target < other.target ? -1 : 1));
  // Several targets may lead to one channel, such as its handle and its messenger id.
  const byChannel = new Map<number, Set<number>>();
  for (const { target, mentioning } of heaviest.slice(0, TARGETS_MAX)) {
    const id = selectId(db, referenceOf(target));
    if (id === null || id === channelId) continue;
    const merged = byChannel.get(id);
    if (merged === undefined) byChannel.set(id, new Set(mentioning));
    else for (const source of mentioning) merged.add(source);
    if (byChannel.size === CANDIDATES_MAX) break;
  }
  const all = weigh(sources);
  return new Map(
    [...byChannel].map(([id, mentioning]) => [
      id,
      { shared: mentioning.size, part: weigh(mentioning) / all },
    ]),
  );
}

/** The channels that mention a channel most often, among its newest mentions. */
function sourcesOf(db: Database, channelId: number): number[] {
  return mostFrequent(newestSources(db, channelId, MENTIONS_MAX))
    .slice(0, SOURCES_MAX)
    .map(([source]) => source);
}

/**
 * Channels of its category: the next smaller ones, those up to twice its size, and those of its territory.
 */
function neighbours(db: Database, { kind, category, territory, subscribers }: Compared): number[] {
  const categoryId = idOfSlug(db, "categories", category);
  if (categoryId === null) return [];
  const territoryId = idOfSlug(db, "territories", territory);
  const find = (of: Partial<CatalogFilter>): number[] => {
    const filter = { ...NO_FILTER, kind, categoryId, ...of };
    const selection = {
      filter,
      ordering: "-subscribers",
      after: null,
      limit: NEIGHBOURS_MAX,
    } as const;
    return findChannels(db, selection).map(({ id }) => id);
  };
  return [
    ...find({ subscribersMax: subscribers }),
    ...find({ subscribersMin: subscribers, subscribersMax: 2 * subscribers }),
    ...(territoryId === null ? [] : find({ territoryId })),
  ];
}

function idOfSlug(
  db: Database,
  table: "categories" | "territories",
  slug: string | null,
): number | null {
  const find = statement<{ id: number }>(db, `SELECT id FROM ${table} WHERE slug = ?`);
  return slug === null ? null : (find.get(slug)?.id ?? null);
}
