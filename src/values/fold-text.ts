/** Marks that change how a letter or symbol looks, and what takes no room: nobody types them. */
const UNSEEN = /[\p{Variation_Selector}\p{Default_Ignorable_Code_Point}]/gu;
const SPACES = /[\p{White_Space}]+/gu;
const APOSTROPHES = /[\u0060\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201b\u2032\uff07]/g;
const ARABIC_YEH = /[\u0649\u06cc]/g;
const ARABIC_KAF = /\u06a9/g;

/**
 * A text as it is searched: what looks alike to people is the same. Compatible
 * characters and letters of both cases are one, however they are composed; ё is е; there are no unseen
 * characters; any run of white space is one space, and none at the ends; there is one apostrophe, and one
 * form of Arabic yeh and kaf.
 */
export function foldText(text: string): string {
  // Before the acute accent becomes a space with a combining one.
  const composed = text.replace(APOSTROPHES, "'").normalize("NFKC").replace(UNSEEN, "");
  // Upper case first: by it ß is ss, as in Unicode's full case folding.
  return (
    composed
      .toUpperCase()
      .toLowerCase()
      .normalize("NFKC")
      // The capital ẞ, whose upper case is itself.
      .replaceAll("ß", "ss")
      .replaceAll("ё", "е")
      // Lower case has another sigma at the end of a word, which a part of a text does not know of.
      .replaceAll("ς", "σ")
      .replace(SPACES, " ")
      .trim()
      .replace(ARABIC_YEH, "\u064a")
      .replace(ARABIC_KAF, "\u0643")
  );
}
