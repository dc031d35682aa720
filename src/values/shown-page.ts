/**
 * The rows that a page shows, and the last of them; null if no page follows.
 * @param rows one more than the limit if another page follows
 */
export function shownPage<Row>(
  rows: readonly Row[],
  limit: number,
): { shown: Row[]; last: Row | null } {
  const shown = rows.slice(0, limit);
  return { shown, last: rows.length > limit ? (shown.at(-1) ?? null) : null };
}
