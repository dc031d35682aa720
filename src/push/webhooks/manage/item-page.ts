/**
 * A page of an organization's webhooks or alerts; `last` is where the next page begins, null on the last
 * one.
 */
export interface ItemPage<View> {
  results: View[];
  last: readonly [number] | null;
}

/** @param rows one more than fits the page, if there is another page */
export function itemPage<Row extends { id: number }, View>(
  rows: readonly Row[],
  limit: number,
  toView: (row: Row) => View,
): ItemPage<View> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { results: shown.map(toView), last: last === undefined ? null : [last.id] };
}
