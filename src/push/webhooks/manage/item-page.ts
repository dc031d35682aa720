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
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { results: shown.map(toView), last: last === undefined ? null : [last.id] };
}
