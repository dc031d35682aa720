import { shownPage } from "../../../values/rows.ts";

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
