const LENGTH_MAX = 100;

/** Truncates text for a message, since callers may send text of any length, field names included. */
export function shortened(text: string, lengthMax = LENGTH_MAX): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "")}…`;
}
