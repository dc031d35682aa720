/**
 * Characters that people do not see but models read: control characters (except line breaks and
 * tabs), bidirectional overrides and isolates, and tag characters, which spell out invisible letters
 * (except in flags).
 */

const UNSEEN =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Matches JSON text that may contain such characters; most control characters are escapes there. */
const UNSEEN_IN_JSON = /\\[ubf]|[\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/;

/** Removes such characters, except flags. */
export function plainText(text: string): string {
  return text.replace(UNSEEN, "$1");
}

/** Removes them from all texts of a JSON value, which is parsed only if it may contain any. */
export function plainJson(json: string): string {
  if (!UNSEEN_IN_JSON.test(json)) return json;
  return JSON.stringify(JSON.parse(json), (_name, value) =>
    typeof value === "string" ? plainText(value) : value,
  );
}
