import type { Json } from "../../values/json-text.ts";
import type { ValueOf } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import { CHANNEL_FIELDS } from "../channels/card.ts";
import type { ChannelKind } from "../channels/channel-reference.ts";
import type { CardAnswer } from "../channels/stored-card.ts";
import { schemasOf } from "../fields/stored-field.ts";
import { type MetricsMin, ORDERED_METRICS } from "../metrics/metrics.ts";

/** Orderings of the catalog: always descending, channels without a value last, ties by ascending id. */
export const CATALOG_ORDERINGS = [
  "-subscribers",
  "-quality",
  "-citation",
  "-last_post_at",
  "-growth_7d",
  "-growth_30d",
  "-growth_30d_percent",
  "-reach_30d",
  "-err_30d",
  "-reach_24h",
  "-reach_48h",
  "-ad_reach_24h",
  "-ad_reach_48h",
] as const;
export type CatalogOrdering = (typeof CATALOG_ORDERINGS)[number];

/** Whether the ordering leaves out channels without a fresh reading. */
export function isOfMetrics(ordering: CatalogOrdering): boolean {
  return ORDERED_METRICS.some((metric) => ordering === `-${metric}`);
}

export interface CatalogFilter {
  kind: ChannelKind;
  /** Service number of the single channel that a handle or link refers to. */
  channelId: number | null;
  /** Part of the title or handle, at least three code points long. */
  text: string | null;
  /** One of the channel's categories, primary or additional. */
  categoryId: number | null;
  /** The channel's territory, or an ancestor of it. */
  territoryId: number | null;
  aPlus: boolean | null;
  verified: boolean | null;
  subscribersMin: number | null;
  subscribersMax: number | null;
  metricsMin: MetricsMin;
}

/** Lets every public channel through. */
export const NO_FILTER: CatalogFilter = {
  ...{ kind: "channel", channelId: null, text: null, categoryId: null, territoryId: null },
  ...{ aPlus: null, verified: null, subscribersMin: null, subscribersMax: null },
  metricsMin: {},
};

/** Position where a page ended: the last channel's value in the ordering, and its id. */
export type CatalogPosition = readonly [value: number | null, id: number];

export interface CatalogSelection {
  filter: CatalogFilter;
  ordering: CatalogOrdering;
  after: CatalogPosition | null;
  limit: number;
  hasMetrics?: boolean;
}

const { id, title, handle, subscribers } = schemasOf(CHANNEL_FIELDS);

export const suggestionSchema = shape.object({ id, title, handle, subscribers }, "Suggestion");
export type Suggestion = ValueOf<typeof suggestionSchema>;

export interface CatalogCount {
  channels: number;
  /** Whether there are more, which were not counted. */
  isMore: boolean;
}

export interface CatalogPage {
  results: Json<CardAnswer[]>;
  /** Null on the last page. */
  last: CatalogPosition | null;
  /** The nearest titles, if no channel has the text; absent otherwise. */
  suggestions?: Suggestion[];
}

const shareSchema = (entry: string) =>
  shape.object({
    slug: shape.text(`Code of the ${entry}`),
    channels: shape.count("Channels of the selection in it"),
    subscribers: shape.count("Their total subscribers"),
  });

export const selectionSchema = shape.object(
  {
    channels: shape.count("Channels that match"),
    subscribers: shape.object({
      sum: shape.count("Total subscribers"),
      median: shape.nullable(shape.count("Median of the subscribers; null if no channel matches")),
      deciles: shape.list(
        shape.integer(),
        "The nine deciles of the subscribers; empty if no channel matches",
      ),
    }),
    categories: shape.list(
      shareSchema("category"),
      "Primary and additional categories, those with most channels first",
    ),
    territories: shape.list(
      shareSchema("territory"),
      "Territories, each with those below it, those with most channels first",
    ),
  },
  "Selection",
);

export type SelectionView = ValueOf<typeof selectionSchema>;
