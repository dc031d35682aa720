/**
 * A quantile of ascending numbers, interpolated linearly and rounded; null if there are none.
 * @param part from 0 (the smallest) to 1 (the largest)
 */
export function quantileOf(sorted: ArrayLike<number>, part: number): number | null {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return null;
  return Math.round(below + (above - below) * (place - Math.floor(place)));
}
