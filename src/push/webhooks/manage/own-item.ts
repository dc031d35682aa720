import type { Database } from "../../../db/database.ts";
import { notFound } from "../../../errors.ts";
import { shownPage } from "../../../values/rows.ts";

/** Identifies a webhook by its owner: an organization, or the operator (null). */
export interface OwnWebhook {
  organizationId: number | null;
  id: number;
}

/** Identifies a webhook or an alert within an organization; another organization's is not found. */
export interface OwnItem {
  organizationId: number;
  id: number;
}

/** Finds an organization's item; it throws `not_found` for another organization's too. */
export function ownItem<Item extends { organizationId: number | null }>(
  thing: "alert" | "webhook",
  select: (db: Database, by: { id: number }) => Item | undefined,
) {
  return async (db: Database, { organizationId, id }: OwnWebhook): Promise<Item> => {
    const item = select(db, { id });
    if (item?.organizationId !== organizationId) throw notFound(thing);
    return item;
  };
}

/** A page of webhooks or alerts; `last` has the number of its last item, or is null if no page follows. */
export interface ItemPage<View> {
  results: View[];
  last: readonly [number] | null;
}

/** Makes a page of rows. @param rows one more than the limit if another page follows */
export function itemPage<Row extends { id: number }, View>(
  rows: readonly Row[],
  limit: number,
  toView: (row: Row) => View,
): ItemPage<View> {
  const { shown, last } = shownPage(rows, limit);
  return { results: shown.map(toView), last: last && [last.id] };
}
