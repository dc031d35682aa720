/** The path as the caller wrote it, escapes and all. Not by `new URL`, which throws on a bad Host. */
export function pathOf({ url }: Request): string {
  return /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? "/";
}

/** The query with its question mark; empty where there is none. */
export function queryOf({ url }: Request): string {
  return /^[^?#]*(\?[^#]*)?/.exec(url)?.[1] ?? "";
}
