import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { shownPage } from "../../values/schema.ts";
import { selectCards } from "../channels/channels.store.ts";
import { searchedText } from "../channels/search-text.ts";
import { withMetrics } from "../channels/stored-card.ts";
import type {
  CatalogCount,
  CatalogFilter,
  CatalogPage,
  CatalogSelection,
  Suggestion,
} from "./catalog.ts";
import { isOfMetrics, NO_FILTER } from "./catalog.ts";
import { eachMatching, findChannels, type Step } from "./find-channels.store.ts";
import { termsByRarity } from "./search-terms.ts";
import { suggestTitles } from "./suggest-titles.ts";

export function selectCatalog(db: Database, selection: CatalogSelection): CatalogPage {
  const found = findChannels(db, selection);
  const { shown, last } = shownPage(found, selection.limit);
  const ids = shown.map(({ id }) => id);
  const cards = selectCards(db, ids);
  const { filter, after, ordering } = selection;
  // An ordering by a metric may have left out what was looked for.
  const isNothing = ids.length === 0 && after === null && !isOfMetrics(ordering);
  const suggestions = isNothing && filter.text !== null ? suggestionsFor(db, filter) : [];
  return {
    results: selection.hasMetrics === true ? withMetrics(db, cards) : cards,
    last: last && [last.value, last.id],
    ...(suggestions.length > 0 && { suggestions }),
  };
}

/** The nearest titles; none if time is over, since the answer itself is complete. */
function suggestionsFor(db: Database, filter: CatalogFilter): Suggestion[] {
  try {
    return suggestTitles(db, filter);
  } catch (error) {
    if (error instanceof AppError && error.code === "timeout") return [];
    throw error;
  }
}

/** Limit for counting matches: texts are read from the file. */
export const COUNTED_MAX = 1_000;

/** Counts the matching public channels, as a page of this length is found. */
export function countCatalog(db: Database, filter: CatalogFilter): CatalogCount {
  const ordering = "-subscribers";
  const selection = { filter, ordering, after: null, limit: COUNTED_MAX } as const;
  const { length } = findChannels(db, selection);
  return { channels: Math.min(length, COUNTED_MAX), isMore: length > COUNTED_MAX };
}

/** One more than the public channels of a category that have more subscribers. */
export function placeInCategory(
  db: Database,
  { categoryId, subscribers }: { categoryId: number; subscribers: number },
): number {
  let place = 1;
  const filter = { ...NO_FILTER, categoryId, subscribersMin: subscribers + 1 };
  eachMatching(db, filter, (_, positions) => {
    place += positions.length;
  });
  return place;
}

/** How a page of the catalog was found. */
export interface Explanation {
  /** Number of channels on the page, and whether more follow. */
  found: number;
  hasMore: boolean;
  /** Time for finding it, without the cards. */
  tookMs: number;
  /** Trigrams of the text, each with about how many channels have it, the rarest first. */
  terms: { term: string; channels: number }[];
  /** Ways that were tried, in order; the last one found the page. */
  steps: Step[];
}

export function explainCatalog(
  db: Database,
  clock: Clock,
  selection: CatalogSelection,
): Explanation {
  const { text } = selection.filter;
  const terms = termsByRarity(db, text === null ? [] : searchedText(text).pieces.flat());
  // The columns are read first: a process that serves has them.
  findChannels(db, { ...selection, limit: 1 });
  const steps: Step[] = [];
  const startedMs = clock.monotonic();
  const { length } = findChannels(db, selection, (step) => steps.push(step));
  return {
    found: Math.min(length, selection.limit),
    hasMore: length > selection.limit,
    tookMs: clock.monotonic() - startedMs,
    terms: terms.map(({ text: term, channels }) => ({ term, channels })),
    steps,
  };
}
