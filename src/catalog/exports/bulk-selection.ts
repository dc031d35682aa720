import { type Database, statement } from "../../db/database.ts";
import { onceEach } from "../../values/kept-briefly.ts";
import type { Day } from "../../values/moscow-time.ts";
import type { ChannelRecord } from "../channels/card.ts";
import type { ChannelKind } from "../channels/channel-reference.ts";
import { categorySlugs, createIsPublic } from "../channels/channels.store.ts";
import { foldForSearch, isFoundIn, searchedText } from "../channels/search-text.ts";
import type { SeenRemovals } from "../imports/kinds/removed-months.store.ts";
import type { ImportFormat } from "../imports/reading/recognized.ts";
import { CURRENT_SLOT } from "../metrics/metrics.store.ts";
import { FILTERED_METRICS } from "../metrics/metrics.ts";
import type { PostSearchSelection } from "../post-search/post-search.ts";
import type { Media } from "../posts/post.ts";
import type { CatalogFilter } from "../search/catalog.ts";

export type BulkKind = "channels" | "stats" | "posts";

/**
 * Channels that a customer's export covers: the catalog's filter, with codes, any kind, and a text of any
 * length; null for all.
 */
export interface BulkFilter extends Omit<CatalogFilter, "kind" | "categoryId" | "territoryId"> {
  kind: ChannelKind | null;
  category: string | null;
  territories: readonly string[] | null;
}

/** Rows of a customer's export, and how to write them. Plain data, because it is sent to a thread. */
export interface BulkSelection extends BulkFilter {
  rows: BulkKind;
  format: ImportFormat;
  /** Inclusive; null for no bound. */
  from: Day | null;
  /** Inclusive; null for no bound. */
  to: Day | null;
  isAd: boolean | null;
  media: Media | null;
  viewsMin: number | null;
  /** Removals of months that were seen when the export began. */
  removals: SeenRemovals;
  /** The search whose posts are exported, which includes all other filters; null for none. */
  found: Pick<PostSearchSelection, "query" | "filter"> | null;
}

type Tested = Pick<
  ChannelRecord,
  | "is_public"
  | "kind"
  | "subscribers"
  | "category"
  | "categories"
  | "territory"
  | "a_plus"
  | "verified"
  | "title"
  | "handle"
>;

/** Returns a function that tests whether a channel is public and satisfies the filter. */
export function channelTest(filter: BulkFilter): (channel: Tested) => boolean {
  const { kind, category, territories, aPlus, verified, subscribersMin, subscribersMax } = filter;
  const text = filter.text === null ? null : searchedText(filter.text);
  const slugs = territories === null ? null : new Set(territories);
  const min = subscribersMin ?? 0;
  const max = subscribersMax ?? Number.POSITIVE_INFINITY;
  return (channel) =>
    channel.is_public === 1 &&
    (kind === null || channel.kind === kind) &&
    channel.subscribers >= min &&
    channel.subscribers <= max &&
    (aPlus === null || channel.a_plus === Number(aPlus)) &&
    (verified === null || channel.verified === Number(verified)) &&
    (category === null || categorySlugs(channel).includes(category)) &&
    (slugs === null || (channel.territory !== null && slugs.has(channel.territory))) &&
    (text === null ||
      isFoundIn(text, foldForSearch(channel.title), foldForSearch(channel.handle ?? "")));
}

/**
 * Returns a function that tests whether a channel's metrics reach the filter's bounds; channels without
 * metrics never do.
 */
export function metricsTest(db: Database, { metricsMin }: BulkFilter): (id: number) => boolean {
  if (Object.keys(metricsMin).length === 0) return () => true;
  const values = Object.fromEntries(
    FILTERED_METRICS.map((name) => [name, metricsMin[name] ?? null]),
  );
  const sql = `SELECT 1 FROM channel_metrics m WHERE m.slot = ${CURRENT_SLOT} AND m.id = @id
     ${FILTERED_METRICS.map((name) => `AND (@${name} IS NULL OR m.${name} >= @${name})`).join(" ")}`;
  const find = statement(db, sql);
  return (id) => find.get({ id, ...values }) !== undefined;
}

const CARD_FILTERS = [
  ...(["kind", "category", "territories", "aPlus", "verified"] as const),
  ...(["subscribersMin", "subscribersMax", "text"] as const),
];

/** Whether a filter excludes any public channels. */
function restrictsChannels(filter: BulkFilter): boolean {
  return CARD_FILTERS.some((name) => filter[name] !== null);
}

/** Whether posts are read channel by channel, because few of them may be selected; otherwise by id. */
export function isPostsByChannel(selection: BulkSelection): boolean {
  const { rows, from, to, isAd, channelId, found } = selection;
  if (found !== null) return false;
  const isBounded = from !== null || to !== null || isAd === true;
  return rows === "posts" && (channelId !== null || isBounded || restrictsChannels(selection));
}

/**
 * Returns a function that tests by number whether a channel is selected. Each channel is looked up once, so
 * the function is for the rows of one part.
 */
export function selectedChannels(db: Database, filter: BulkFilter): (id: number) => boolean {
  if (!restrictsChannels(filter)) return publicChannels(db);
  const test = channelTest(filter);
  const sql = `
    SELECT c.is_public, c.kind, c.subscribers, k.category, k.categories, k.territory, k.a_plus,
      k.verified, k.title, k.handle
    FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ?`;
  const find = statement<Tested>(db, sql);
  return onceEach((id) => {
    const channel = find.get(id);
    return channel !== undefined && test(channel);
  });
}

/** Returns a function that tests by number whether a channel is public, which looks up each once. */
export function publicChannels(db: Database): (id: number) => boolean {
  return onceEach(createIsPublic(db));
}
