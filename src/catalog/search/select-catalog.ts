import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { shownPage } from "../../values/schema.ts";
import { selectCards } from "../channels/channels.store.ts";
import { facetWords } from "../channels/search-text.ts";
import { withMetrics } from "../channels/stored-card.ts";
import {
  type CatalogCount,
  type CatalogFilter,
  type CatalogPage,
  type CatalogSelection,
  NO_FILTER,
  type Suggestion,
} from "./catalog.ts";
import { findByPlan, PLANS, type Planned, queryOf } from "./planner.ts";
import type { Found } from "./plans/candidates.ts";
import type { Plan } from "./plans/sql-parts.ts";
import { isOfMetrics, type Query } from "./query.ts";
import { suggestTitles } from "./suggest-titles.ts";

export function selectCatalog(db: Database, selection: CatalogSelection): CatalogPage {
  const { found } = findByPlan(db, queryOf(db, selection));
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

/** Limit for counting matches: counting all could scan the whole catalog. */
export const COUNTED_MAX = 1_000;

/** Counts the matching public channels, using the plan for a page of this length. */
export function countCatalog(db: Database, filter: CatalogFilter): CatalogCount {
  const ordering = "-subscribers";
  const selection = { filter, ordering, after: null, limit: COUNTED_MAX } as const;
  const { length } = findByPlan(db, queryOf(db, selection)).found;
  return { channels: Math.min(length, COUNTED_MAX), isMore: length > COUNTED_MAX };
}

/** The largest public channels of a category with their subscribers, descending; at most 1,000. */
export function topSubscribers(db: Database, categoryId: number): Found[] {
  const filter = { ...NO_FILTER, categoryId };
  const selection = { filter, ordering: "-subscribers", after: null, limit: COUNTED_MAX } as const;
  const { found } = findByPlan(db, queryOf(db, selection));
  return found.slice(0, COUNTED_MAX);
}

type PlanOutcome = "taken" | "gave up" | "would apply" | "does not apply";

/** How a page of the catalog was found, and why that way. */
export interface Explanation {
  /** Number of channels on the page, and whether more follow. */
  found: number;
  hasMore: boolean;
  /** Time for planning and finding, without the cards. */
  tookMs: number;
  /**
   * Terms looked up in the search index, each with its number of channels; empty if nothing is searched.
   */
  terms: { term: string; channels: number }[];
  /** All plans, in the order in which they are tried. */
  plans: { name: string; outcome: PlanOutcome; why: string }[];
}

export function explainCatalog(
  db: Database,
  clock: Clock,
  selection: CatalogSelection,
): Explanation {
  const startedMs = clock.monotonic();
  const query = queryOf(db, selection);
  const planned = findByPlan(db, query);
  const tookMs = clock.monotonic() - startedMs;
  const found = planned.found.length;
  return {
    found: Math.min(found, selection.limit),
    hasMore: found > selection.limit,
    tookMs,
    terms: (query.expression?.terms ?? []).map(({ text, channels }) => ({
      term: facetWords(text) ?? `"${text}"`,
      channels,
    })),
    plans: PLANS.map((plan) => ({ name: plan.name, ...outcomeOf(plan, query, planned) })),
  };
}

function outcomeOf(
  plan: Plan,
  query: Query,
  { taken, gaveUp }: Planned,
): { outcome: PlanOutcome; why: string } {
  if (gaveUp.includes(plan)) return { outcome: "gave up", why: plan.givesUp ?? "" };
  const conditions = plan.applies.map(({ words, holds, figures }) => ({
    isMet: holds(query),
    text: figures === undefined ? words : `${words} (${figures(query)})`,
  }));
  const lacking = conditions.find(({ isMet }) => !isMet);
  if (lacking !== undefined) return { outcome: "does not apply", why: `only if ${lacking.text}` };
  const why = conditions.map(({ text }) => text).join("; ");
  return { outcome: plan === taken ? "taken" : "would apply", why };
}
