import type { JsonText } from "../../values/json-text.ts";
import type { CardView } from "../channels/card.ts";
import type { ChannelKind } from "../channels/channel-kind.ts";

/** Always descending, channels without a value last, ties by ascending id. */
export const CATALOG_ORDERINGS = [
  "-subscribers",
  "-quality",
  "-citation",
  "-last_post_at",
] as const;
export type CatalogOrdering = (typeof CATALOG_ORDERINGS)[number];

export interface CatalogFilter {
  kind: ChannelKind;
  /** The service number of the one channel that a handle or link names. */
  channelId: number | null;
  /** A part of the title or handle, of three or more code points. */
  text: string | null;
  /** One of the channel's categories, primary or additional. */
  categoryId: number | null;
  /** The channel's territory, or one above it. */
  territoryId: number | null;
  aPlus: boolean | null;
  verified: boolean | null;
  subscribersMin: number | null;
  subscribersMax: number | null;
}

/** Where a page ended: the last channel's value in the ordering, and its id. */
export type CatalogPosition = readonly [value: number | null, id: number];

export interface CatalogSelection {
  filter: CatalogFilter;
  ordering: CatalogOrdering;
  after: CatalogPosition | null;
  limit: number;
}

/** How many channels match. */
export interface CatalogCount {
  channels: number;
  /** Whether there are more, which were not counted. */
  isMore: boolean;
}

export interface CatalogPage {
  results: JsonText<CardView[]>;
  /** Null on the last page. */
  last: CatalogPosition | null;
}
