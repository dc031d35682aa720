import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Claims } from "../../values/claims.ts";
import type { CatalogCount, CatalogFilter, CatalogPage, CatalogSelection } from "./catalog.ts";
import { createLargeSelections } from "./large-selections.ts";
import { isShortWalk } from "./query.ts";
import { selectCatalog } from "./select-catalog.ts";
import type { SelectionView } from "./selection.ts";
import { createTurns } from "./turns.ts";

/**
 * Limit for one organization's selections waiting to be described: each takes up to some tens of
 * milliseconds.
 */
const DESCRIBED_WAITING_MAX = 20;

export type Search = ReturnType<typeof createSearch>;

/**
 * Pages of the catalog, and counts and statistics of what filters select.
 * @param readers run potentially slow queries on reader threads
 * @param claims slots for the slowest queries, shared by several workers
 */
export function createSearch(
  db: Database,
  readers: {
    selectCatalog(selection: CatalogSelection): Promise<CatalogPage>;
    countCatalog(filter: CatalogFilter): Promise<CatalogCount>;
    describeSelection(request: {
      filter: CatalogFilter;
      mayTakeLong: boolean;
    }): Promise<SelectionView | null>;
  },
  clock: Pick<Clock, "monotonic" | "sleep">,
  claims?: Claims,
) {
  const large = createLargeSelections(
    (filter) => readers.describeSelection({ filter, mayTakeLong: true }),
    clock,
    claims,
  );
  const turns = createTurns(DESCRIBED_WAITING_MAX);
  return {
    /**
     * A page of the catalog. Short walks run on this thread, because passing them to another would cost
     * more.
     */
    page: (selection: CatalogSelection): CatalogPage | Promise<CatalogPage> =>
      isShortWalk(selection) ? selectCatalog(db, selection) : readers.selectCatalog(selection),

    count: (filter: CatalogFilter): Promise<CatalogCount> => readers.countCatalog(filter),

    /**
     * Statistics of the matching channels.
     * @throws AppError `throttled` if too many of the organization's selections are waiting to be counted
     */
    async describe(filter: CatalogFilter): Promise<SelectionView> {
      return (
        (await turns.take(() => readers.describeSelection({ filter, mayTakeLong: false }))) ??
        large.describe(filter)
      );
    },
  };
}
