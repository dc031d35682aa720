import type { Database } from "../../db/database.ts";
import { shownPage } from "../../values/rows.ts";
import { selectCards } from "../channels/channels.store.ts";
import { withMetrics } from "../channels/stored-card.ts";
import type { CatalogCount, CatalogFilter, CatalogPage, CatalogSelection } from "./catalog.ts";
import { findByPlan, queryOf } from "./planner.ts";

export function selectCatalog(db: Database, selection: CatalogSelection): CatalogPage {
  const { found } = findByPlan(db, queryOf(db, selection));
  const { shown, last } = shownPage(found, selection.limit);
  const ids = shown.map(({ id }) => id);
  const cards = selectCards(db, ids);
  return {
    results: selection.hasMetrics === true ? withMetrics(db, cards) : cards,
    last: last && [last.value, last.id],
  };
}

/** Limit for counting matches: counting all could scan the whole catalog. */
const COUNTED_MAX = 1_000;

/** Counts the matching public channels, using the plan for a page of this length. */
export function countCatalog(db: Database, filter: CatalogFilter): CatalogCount {
  const ordering = "-subscribers";
  const selection = { filter, ordering, after: null, limit: COUNTED_MAX } as const;
  const { length } = findByPlan(db, queryOf(db, selection)).found;
  return { channels: Math.min(length, COUNTED_MAX), isMore: length > COUNTED_MAX };
}
