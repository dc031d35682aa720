import type { CardAnswer } from "../../../../catalog/channels/stored-card.ts";
import type { CatalogCount, Suggestion } from "../../../../catalog/search/catalog.ts";
import { AppError } from "../../../../errors.ts";
import type { Page } from "../../../../values/json-text.ts";
import {
  channelsList,
  readCatalogRequest,
  SEARCH_PARAMETERS,
} from "../../../../verbs/methods/channels.ts";
import { isNumberFilter, typedNumber } from "../../forms/faults.ts";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { useSite, useVisit } from "../../visit/visit.ts";

/**
 * All filters of the API's catalog in the address, under the API's names, so that the page's address mirrors a
 * request; empty text if not given.
 */
export type Filter = Record<(typeof SEARCH_PARAMETERS)[number], string>;

export function filterOf(): Filter {
  return readFilters(SEARCH_PARAMETERS);
}

/** Filters in the address by name, with numbers as people type them converted to the API's form. */
export function readFilters<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const { query } = useVisit();
  const given = names.map((name) => {
    const text = query.get(name) ?? "";
    return [name, isNumberFilter(name) ? typedNumber(text) : text];
  });
  return Object.fromEntries(given);
}

/** The filters that are given. */
export function givenOf(filter: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}

/** A page of the catalog; whom its ordering leaves out, or the nearest titles if nothing was found. */
export type FoundChannels = Page<CardAnswer> & { note?: string; suggestions?: Suggestion[] };

/** A page of the filter's results, from the API's own method. */
export function findChannels(
  filter: Filter,
  page: { limit: number; cursor: string },
): Promise<FoundChannels> {
  const raw = { ...filter, include: "metrics", limit: String(page.limit), cursor: page.cursor };
  return lookUp<FoundChannels>(channelsList, raw);
}

/**
 * Number of matching channels; null for a list of numbers, for an invalid filter, and if counting takes too
 * long.
 */
export async function countChannels(filter: Filter): Promise<CatalogCount | null> {
  const { services } = useSite();
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
