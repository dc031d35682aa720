/** Secrets that errors of other programs may quote: keys, signing secrets, links' tokens, credentials. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bknl_(ro|rw)_\w+/g, "knl_$1_…"],
  [/\bwhsec_[\w-]+/g, "whsec_…"],
  [/(:\/\/)[^\s/@]+@/g, "$1…@"],
  [/\b((?:token|password|passwd|secret|cookie|authorization)["']?\s*[=:]\s*).+/gi, "$1…"],
  [/\b(Bearer|Basic)\s+\S+/gi, "$1 …"],
];

/** Takes out of a text what must be in no log and on no page. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text);
}
