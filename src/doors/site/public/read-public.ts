import { isHandle } from "../../../catalog/channels/channel-reference.ts";
import type { CardAnswer, CardWithMetrics } from "../../../catalog/channels/stored-card.ts";
import type { CatalogFilter, CatalogOrdering } from "../../../catalog/search/catalog.ts";
import { NO_FILTER } from "../../../catalog/search/catalog.ts";
import { AppError } from "../../../errors.ts";
import { jsonValueOf } from "../../../values/json-text.ts";
import { dayOf, parseDay } from "../../../values/moscow-time.ts";
import type { Services } from "../../../verbs/services.ts";
import { withoutMarks } from "../look/post-excerpt.tsx";
import { shortened } from "./pictures/chart-svg.ts";
import type { Reading } from "./pictures/line.ts";

/** Everything that public pages read, by the services that the API's methods use; nobody is charged for it. */
export const CHART_DAYS = 90;

export type Facets = Partial<Pick<CatalogFilter, "categoryId" | "territoryId" | "text">>;

/** The first public channels of an order. */
export async function readList(
  { search }: Pick<Services, "search">,
  facets: Facets,
  ordering: CatalogOrdering,
  limit: number,
): Promise<CardAnswer[]> {
  const filter = { ...NO_FILTER, ...facets };
  const page = await search.page({ filter, ordering, after: null, limit, hasMetrics: true });
  return jsonValueOf(page.results);
}

/** Channels with a text in their titles, or those with the nearest titles if there are none. */
export async function readSearch(
  { search, channels }: Pick<Services, "search" | "channels">,
  text: string,
  limit: number,
): Promise<{ found: CardAnswer[]; nearest: CardAnswer[] }> {
  const filter = { ...NO_FILTER, text };
  const selection = { filter, ordering: "-subscribers", after: null, hasMetrics: true } as const;
  const { results, suggestions = [] } = await search.page({ ...selection, limit });
  const nearest = channels.cardsWithMetrics(suggestions.map(({ id }) => id));
  return { found: jsonValueOf(results), nearest: jsonValueOf(nearest) };
}

/** A public channel by its handle; null if no public channel has it or had it last. */
export function readChannel(
  { channels }: Pick<Services, "channels">,
  handle: string | null,
): CardWithMetrics | null {
  if (handle === null || !isHandle(handle)) return null;
  try {
    return channels.cardWithMetrics({ kind: "handle", handle });
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}

/** Longest beginning of a post that is shown, in characters. */
const SHOWN_LENGTH_MAX = 280;

export interface PostBeginning {
  text: string;
  /** In the messenger; null if unknown. */
  link: string | null;
  publishedAt: string;
}

/** How a channel's last post begins; null without one, or if it has no text. */
export async function readLastPost(
  { posts }: Pick<Services, "posts">,
  channelId: number,
): Promise<PostBeginning | null> {
  const none = { fromMs: null, untilMs: null, after: null, isAd: null };
  const { results } = await posts.page({ channelId, ...none, limit: 1 });
  const [post] = jsonValueOf(results);
  // Cut first: a stranger's text may be long, and made to take long.
  const beginning = shortened(post?.text ?? "", 4 * SHOWN_LENGTH_MAX);
  const text = shortened(withoutMarks(beginning).trim(), SHOWN_LENGTH_MAX);
  if (post === undefined || text === "") return null;
  return { text, link: post.link, publishedAt: post.published_at };
}

/** A channel's readings of the last 90 days, today included. */
export async function readDays(
  { statistics }: Pick<Services, "statistics">,
  id: number,
  nowMs: number,
): Promise<Reading[]> {
  const to = dayOf(nowMs);
  const selection = { channelIds: [id], from: to - CHART_DAYS + 1, to };
  const days = jsonValueOf(await statistics.daily(selection));
  return days.map(({ day, subscribers }) => ({ day: parseDay(day) ?? to, value: subscribers }));
}
