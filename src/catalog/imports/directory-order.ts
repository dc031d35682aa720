/**
 * File order is directory order. Rows of a file share out, in the file's order, the places that they hold
 * already; new rows come behind all others. So a whole file sets the whole order, and a file of one row moves
 * nothing.
 */
export function inFileOrder<T extends { slug: string; position: number }>(
  stored: readonly T[],
  fileOrder: ReadonlySet<string>,
): T[] {
  const bySlug = new Map(stored.map((entry) => [entry.slug, entry]));
  const named = [...fileOrder].flatMap((slug) => bySlug.get(slug) ?? []);
  const next = named.values();
  return stored
    .toSorted((a, b) => a.position - b.position)
    .map((entry) => (fileOrder.has(entry.slug) ? (next.next().value ?? entry) : entry));
}
