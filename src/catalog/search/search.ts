import type { Database } from "../../db/database.ts";
import type { CatalogCount, CatalogFilter, CatalogPage, CatalogSelection } from "./catalog.ts";
import { isShortWalk } from "./query.ts";
import { selectCatalog } from "./select-catalog.ts";

export type Search = ReturnType<typeof createSearch>;

/**
 * Pages of the catalog.
 * @param readers what may take long: read by reader threads
 */
export function createSearch(
  db: Database,
  readers: {
    selectCatalog(selection: CatalogSelection): Promise<CatalogPage>;
    countCatalog(filter: CatalogFilter): Promise<CatalogCount>;
  },
) {
  return {
    /** A short walk is read here: the way to a thread would cost more. */
    page: (selection: CatalogSelection): CatalogPage | Promise<CatalogPage> =>
      isShortWalk(selection) ? selectCatalog(db, selection) : readers.selectCatalog(selection),

    count: (filter: CatalogFilter): Promise<CatalogCount> => readers.countCatalog(filter),
  };
}
