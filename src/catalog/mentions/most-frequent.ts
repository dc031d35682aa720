/** How often each number occurs in a list, most frequent first; ties by ascending number. */
export function mostFrequent(ids: readonly number[]): [id: number, times: number][] {
  const counts = new Map<number, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].sort(([one, times], [other, otherTimes]) => otherTimes - times || one - other);
}
