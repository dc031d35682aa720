import type { Database } from "../../db/database.ts";
import { createReadCache } from "../../db/read-transaction.ts";
import type { ChannelKind } from "../channels/channel-reference.ts";
import { cardsVersion } from "../channels/channels.store.ts";
import { selectLeftOut } from "../metrics/metrics.store.ts";
import {
  type CatalogCount,
  type CatalogFilter,
  type CatalogPage,
  type CatalogSelection,
  isOfMetrics,
  type SelectionView,
} from "./catalog.ts";

/** Limit for starts of the catalog that are cached: some 10 MB, a page of 50 cards has 40 KB. */
const STARTS_CACHED_MAX = 100;

export type Search = ReturnType<typeof createSearch>;

/**
 * Pages of the catalog, and counts and statistics of what filters select.
 * @param readers run potentially slow queries on reader threads
 */
export function createSearch(
  db: Database,
  readers: {
    selectCatalog(selection: CatalogSelection): Promise<CatalogPage>;
    countCatalog(filter: CatalogFilter): Promise<CatalogCount>;
    placeInCategory(of: { categoryId: number; subscribers: number }): Promise<number>;
    describeSelection(filter: CatalogFilter): Promise<SelectionView>;
  },
) {
  const starts = createReadCache<string, { page: CatalogPage | null }>(db, STARTS_CACHED_MAX, () =>
    cardsVersion(db),
  );
  return {
    /** A page of the catalog. Where the whole catalog begins is read again once a card has changed. */
    page(selection: CatalogSelection): CatalogPage | Promise<CatalogPage> {
      if (!isStart(selection)) return readers.selectCatalog(selection);
      // Cached under the version before the search, so that no page is older than its version.
      const start = starts(JSON.stringify(selection), () => ({ page: null }));
      if (start?.page != null) return start.page;
      return readers.selectCatalog(selection).then((page) => {
        if (start !== undefined) start.page = page;
        return page;
      });
    },

    /** How many channels, or chats, orderings by metrics left out when these were computed. */
    leftOut: (kind: ChannelKind): number =>
      selectLeftOut(db)[kind === "chat" ? "chats" : "channels"],

    count: readers.countCatalog,
    rank: readers.placeInCategory,
    describe: readers.describeSelection,
  };
}

/** Whether it is a first page of the whole catalog, and changes only when a card does. */
function isStart({ filter, ordering, after, hasMetrics }: CatalogSelection): boolean {
  const { kind, metricsMin, ...others } = filter;
  return (
    after === null &&
    hasMetrics !== true &&
    !isOfMetrics(ordering) &&
    Object.keys(metricsMin).length === 0 &&
    Object.values(others).every((condition) => condition === null)
  );
}
