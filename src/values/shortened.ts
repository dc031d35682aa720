/** A field may be called anything. */
const LENGTH_MAX = 100;

/** A text for a message, cut where it is long: callers may send anything, of any size. */
export function shortened(text: string, lengthMax = LENGTH_MAX): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "")}…`;
}
