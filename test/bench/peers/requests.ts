import type { CatalogOrdering } from "../../../src/catalog/search/catalog.ts";

/** A request of a client, independent of any contender's interface. */
export type Wish =
  | { kind: "card"; id: number }
  | { kind: "handle"; handle: string }
  | CatalogWish
  | { kind: "ids"; ids: number[] }
  | { kind: "statistics"; channels: number[]; from: string; to: string }
  | PostsWish
  | { kind: "post"; id: number };

export interface CatalogWish {
  kind: "catalog";
  ordering: CatalogOrdering;
  q?: string;
  category?: string;
  territory?: string;
  subscribersMin?: number;
  subscribersMax?: number;
  /** From 1; by default the first. */
  page?: number;
}

export interface PostsWish {
  kind: "posts";
  channel: number;
  /** Days, both included. */
  from?: string;
  to?: string;
  isAd?: boolean;
}

export const PAGE_SIZE = 50;

/** A kind of work: wishes that are sent one after another, repeatedly. */
export interface Work {
  name: string;
  wishes: readonly Wish[];
}
