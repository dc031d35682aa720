/** Secrets that other programs' errors may quote: keys, signing secrets, tokens in links, credentials. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bknl_(ro|rw)_\w+/g, "knl_$1_…"],
  [/\bwhsec_[\w-]+/g, "whsec_…"],
  [/(:\/\/)[^\s/@]+@/g, "$1…@"],
  [/\b((?:token|password|passwd|secret|cookie|authorization)["']?\s*[=:]\s*).+/gi, "$1…"],
  [/\b(Bearer|Basic)\s+\S+/gi, "$1 …"],
];

/** Removes from a text what must not appear in a log or on a page. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text);
}
