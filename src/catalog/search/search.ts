import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Claims } from "../../values/claims.ts";
import type { CatalogCount, CatalogFilter, CatalogPage, CatalogSelection } from "./catalog.ts";
import { createLargeSelections } from "./large-selections.ts";
import { isShortWalk } from "./query.ts";
import { selectCatalog } from "./select-catalog.ts";
import type { SelectionView } from "./selection.ts";
import { createTurns } from "./turns.ts";

/** Selections of one asker that wait to be described: each takes up to some tens of milliseconds. */
const DESCRIBED_WAITING_MAX = 20;

export type Search = ReturnType<typeof createSearch>;

/**
 * Pages of the catalog.
 * @param readers what may take long: read by reader threads
 * @param claims turns of what takes longest, where several workers share them
 */
export function createSearch(
  db: Database,
  readers: {
    selectCatalog(selection: CatalogSelection): Promise<CatalogPage>;
    countCatalog(filter: CatalogFilter): Promise<CatalogCount>;
    describeSelection(asked: {
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
    /** A short walk is read here: the way to a thread would cost more. */
    page: (selection: CatalogSelection): CatalogPage | Promise<CatalogPage> =>
      isShortWalk(selection) ? selectCatalog(db, selection) : readers.selectCatalog(selection),

    count: (filter: CatalogFilter): Promise<CatalogCount> => readers.countCatalog(filter),

    /**
     * Statistics of the channels that match.
     * @throws AppError `timeout` where too many of the asker's selections wait to be counted
     */
    async describe(filter: CatalogFilter): Promise<SelectionView> {
      return (
        (await turns.take(() => readers.describeSelection({ filter, mayTakeLong: false }))) ??
        large.describe(filter)
      );
    },
  };
}
