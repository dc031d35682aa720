import type { CardAnswer } from "../../../../catalog/channels/cards-with-metrics.ts";
import type { CatalogCount } from "../../../../catalog/search/catalog.ts";
import { AppError } from "../../../../errors.ts";
import { channelsList, readCatalogRequest } from "../../../../methods/channels.ts";
import type { Page } from "../../../../values/json-text.ts";
import { isNumberFilter, typedNumber } from "../../forms/typed-number.ts";
import type { SiteContext } from "../../site-context.ts";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import type { Visit } from "../../visit/visit.ts";

/** All filters of the API's catalog, by the API's names: the page's address is a request. */
export const FILTERS = [
  "q",
  "category",
  "territory",
  "kind",
  "subscribers_min",
  "subscribers_max",
  "a_plus",
  "verified",
  "growth_30d_min",
  "reach_30d_min",
  "err_30d_min",
  "ids",
  "ordering",
] as const;

/** The address's filters; one that is not given is an empty text. */
export type Filter = Record<(typeof FILTERS)[number], string>;

export function filterOf({ query }: Visit): Filter {
  const given = FILTERS.map((name) => {
    const text = query.get(name) ?? "";
    return [name, isNumberFilter(name) ? typedNumber(text) : text];
  });
  return Object.fromEntries(given) as Filter;
}

/** The filters that are given, with what else the address says. */
export function givenOf(filter: Filter): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}

/** A page of what the filter finds, by the API's own method. */
export function findChannels(
  filter: Filter,
  page: { limit: number; cursor: string },
  visit: Visit,
  context: SiteContext,
): Promise<Page<CardAnswer>> {
  const raw = { ...filter, include: "metrics", limit: String(page.limit), cursor: page.cursor };
  return lookUp<Page<CardAnswer>>(channelsList, raw, visit, context);
}

/** How many channels the filter finds; null where that takes too long, or the filter is wrong. */
export async function countChannels(
  filter: Filter,
  { services }: SiteContext,
): Promise<CatalogCount | null> {
  const count = async (): Promise<CatalogCount | null> => {
    if (filter.ids !== "") return null;
    const selection = readCatalogRequest(filter, services);
    return selection === null
      ? { channels: 0, isMore: false }
      : services.search.count(selection.filter);
  };
  const counted = await orRefusal(count());
  return counted instanceof AppError ? null : counted;
}
