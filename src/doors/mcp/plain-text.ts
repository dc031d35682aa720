/**
 * Characters that people do not see but models read: control characters (except line breaks and tabs),
 * bidirectional overrides and isolates, tag characters, which spell out invisible letters (except in
 * flags), and letters without a width, such as soft hyphens and Hangul fillers. Variation selectors and
 * joiners stay in emoji, and so do marks of direction, which Hebrew and Arabic need.
 */

const WITHOUT_WIDTH =
  "\\u00ad\\u115f\\u1160\\u180b-\\u180f\\u200b\\u200c\\u202a-\\u202e\\u2060-\\u2064" +
  "\\u2066-\\u2069\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0";
const OUTSIDE_EMOJI =
  "(?<!\\p{Emoji})\\ufe0f|(?<!\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d|" +
  "\\u200d(?![\\p{Extended_Pictographic}\\u2640\\u2642])";
const FLAG = "(\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f})";

const UNSEEN = new RegExp(
  `${FLAG}|(?![\\t\\n\\r])\\p{Cc}|[${WITHOUT_WIDTH}\\u{e0000}-\\u{e01ef}]|${OUTSIDE_EMOJI}`,
  "gu",
);

/**
 * Matches JSON text that has any of the letters in question. Without looking around, it takes 1 us for a card,
 * and the exact test, which can do without it, 5 us.
 */
const PERHAPS = new RegExp(`\\\\[ubf]|[\\x7f-\\x9f${WITHOUT_WIDTH}\\ufe0f\\u200d\\udb40]`);

/** Matches JSON text that may contain such characters; most control characters are escapes there. */
const UNSEEN_IN_JSON = new RegExp(
  `\\\\[ubf]|[\\x7f-\\x9f${WITHOUT_WIDTH}\\u{e0000}-\\u{e01ef}]|${OUTSIDE_EMOJI}`,
  "u",
);

/** Removes such characters, except in flags and emoji. */
export function plainText(text: string): string {
  return text.replace(UNSEEN, "$1");
}

/** Removes them from all texts of a JSON value, which is parsed only if it may contain any. */
export function plainJson(json: string): string {
  if (!PERHAPS.test(json) || !UNSEEN_IN_JSON.test(json)) return json;
  return JSON.stringify(JSON.parse(json), (_name, value) =>
    typeof value === "string" ? plainText(value) : value,
  );
}
