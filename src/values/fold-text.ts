/** Characters that only vary how a letter looks, or are invisible: nobody types them in a search. */
const UNSEEN = /[\p{Variation_Selector}\p{Default_Ignorable_Code_Point}]/gu;
const SPACES = /[\p{White_Space}]+/gu;
const APOSTROPHES = /[\u0060\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201b\u2032\uff07]/g;
const ARABIC_YEH = /[\u0649\u06cc]/g;
const ARABIC_KAF = /\u06a9/g;

/**
 * Normalizes text for searching, so that what looks alike to people is equal: compatibility characters,
 * letter case and composition are unified; ё becomes е; invisible characters are dropped; white space is
 * collapsed and trimmed; apostrophes and the Arabic forms of yeh and kaf each become one.
 */
export function foldText(text: string): string {
  // Before normalizing, which would turn the acute accent into a space with a combining accent.
  const composed = text.replace(APOSTROPHES, "'").normalize("NFKC").replace(UNSEEN, "");
  // Upper case first, which turns ß into ss, as Unicode's full case folding does.
  return (
    composed
      .toUpperCase()
      .toLowerCase()
      .normalize("NFKC")
      // From the capital ẞ, which is its own upper case.
      .replaceAll("ß", "ss")
      .replaceAll("ё", "е")
      // Lower case depends on whether a sigma ends its word, which part of a text cannot know.
      .replaceAll("ς", "σ")
      .replace(SPACES, " ")
      .trim()
      .replace(ARABIC_YEH, "\u064a")
      .replace(ARABIC_KAF, "\u0643")
  );
}
