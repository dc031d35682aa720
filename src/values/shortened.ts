const LENGTH_MAX = 100;

/** Cuts a text for a message: what callers send, names of fields included, may be of any size. */
export function shortened(text: string, lengthMax = LENGTH_MAX): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "")}…`;
}
