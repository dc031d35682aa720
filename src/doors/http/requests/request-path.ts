/**
 * The path exactly as the caller wrote it, escapes included. Without `new URL`, which throws on an invalid
 * Host.
 */
export function pathOf({ url }: Request): string {
  return /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? "/";
}

/** The query with its question mark; empty if there is none. */
export function queryOf({ url }: Request): string {
  return /^[^?#]*(\?[^#]*)?/.exec(url)?.[1] ?? "";
}
