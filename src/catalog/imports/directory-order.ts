/**
 * File order is directory order: the rows that a file names take, in its
 * order, the places they hold, new ones the places behind all others. So a whole file sets the
 * whole order, and a file of one row moves nothing.
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
