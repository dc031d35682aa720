/** The value below which the given share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The median of each round's ratio, because other work on the machine differs from round to round. */
export function medianRatio(upper: readonly number[], lower: readonly number[]): number {
  return median(upper.map((value, round) => value / (lower[round] ?? Number.NaN)));
}
