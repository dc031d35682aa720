import type { Database } from "../../db/database.ts";
import { selectCards } from "../channels/channels.store.ts";
import type { CatalogPage, CatalogSelection } from "./catalog.ts";
import { findByPlan, queryOf } from "./planner.ts";

/** A page of the catalog's public channels. */
export function selectCatalog(db: Database, selection: CatalogSelection): CatalogPage {
  const { found } = findByPlan(db, queryOf(db, selection));
  const shown = found.slice(0, selection.limit);
  const last = found.length > selection.limit ? shown.at(-1) : undefined;
  return {
    results: selectCards(
      db,
      shown.map(({ id }) => id),
    ),
    last: last === undefined ? null : [last.value, last.id],
  };
}
