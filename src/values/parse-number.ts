/** Up to 15 digits, which JavaScript represents exactly. */
const NUMBER = /^\d{1,15}$/;

/** Parses a number written in digits only, as in an address or a form; null for any other text. */
export function parseNumber(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}

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

const LENGTH_MAX = 100;

/** Truncates text for a message, since callers may send text of any length, field names included. */
export function shortened(text: string, lengthMax = LENGTH_MAX): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "")}…`;
}
