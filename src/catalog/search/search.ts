import type { Database } from "../../db/database.ts";
import type { CatalogPage, CatalogSelection } from "./catalog.ts";
import { isShortWalk } from "./query.ts";
import { selectCatalog } from "./select-catalog.ts";

export type Search = ReturnType<typeof createSearch>;

/**
 * Pages of the catalog.
 * @param slowPage a page that may take long: read by reader threads
 */
export function createSearch(
  db: Database,
  slowPage: (selection: CatalogSelection) => Promise<CatalogPage>,
) {
  return {
    /** A short walk is read here: the way to a thread would cost more. */
    page: (selection: CatalogSelection): CatalogPage | Promise<CatalogPage> =>
      isShortWalk(selection) ? selectCatalog(db, selection) : slowPage(selection),
  };
}
