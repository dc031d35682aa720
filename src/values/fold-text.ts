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

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u;

/** The words of a folded text, in their order, without other signs. */
export function wordsOf(folded: string): string[] {
  return folded.match(WORD) ?? [];
}

/** Whether each of the words, joined by spaces, begins a word of a folded text. */
export function beginsWords(text: string, words: string): boolean {
  return words.split(" ").every((word) => {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      // Two code units may be one letter.
      if (!ENDS_IN_WORD.test(text.slice(Math.max(0, at - 2), at))) return true;
    }
    return false;
  });
}

interface Entry {
  slug: string;
  name: string;
}

/** Longest text that is compared: codes and names are shorter. */
const LENGTH_MAX = 40;
const CODES_MAX = 3;
/** A text may differ by one letter for each three that it has, but by at least one. */
const LETTERS_PER_EDIT = 3;
const EDITS_MAX = 3;

/**
 * The codes nearest to a text, by edit distance to codes, names and words of names; empty if none is near.
 */
export function nearestCodes(given: string, entries: readonly Entry[]): string[] {
  const text = foldText(given);
  if (text === "" || text.length > LENGTH_MAX) return [];
  const editsMax = Math.min(EDITS_MAX, Math.max(1, Math.floor(text.length / LETTERS_PER_EDIT)));
  const near = entries.flatMap(({ slug, name }) => {
    const edits = Math.min(
      ...spellings(slug, name).map((spelling) => editDistance(text, spelling, editsMax)),
    );
    return edits <= editsMax ? [{ slug, edits }] : [];
  });
  const least = Math.min(...near.map(({ edits }) => edits));
  const nearest = near.filter(({ edits }) => edits === least);
  return nearest.slice(0, CODES_MAX).map(({ slug }) => slug);
}

/** Folds only case and ё in names: `foldText` would take three times as long as everything else. */
function spellings(slug: string, name: string): string[] {
  const folded = name.toLowerCase().replaceAll("ё", "е");
  return [slug, folded, ...folded.split(" ")];
}

/** Two rows of the table of edits, as long as the longest word that is compared letter by letter. */
const LETTERS_MAX = 255;
let [above, row] = [new Uint16Array(LETTERS_MAX + 1), new Uint16Array(LETTERS_MAX + 1)];

/** Number of letters to insert, delete or replace; `max` + 1 if it is more than `max`, or a text is too long. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max || b.length > LETTERS_MAX) return max + 1;
  for (let of = 0; of <= b.length; of++) row[of] = of;
  for (let at = 1; at <= a.length; at++) {
    [above, row] = [row, above];
    row[0] = at;
    let least = at;
    for (let of = 1; of <= b.length; of++) {
      const isSame = a.charCodeAt(at - 1) === b.charCodeAt(of - 1);
      const changed = (above[of - 1] as number) + (isSame ? 0 : 1);
      const edits = Math.min(changed, (above[of] as number) + 1, (row[of - 1] as number) + 1);
      row[of] = edits;
      if (edits < least) least = edits;
    }
    if (least > max) return max + 1;
  }
  return Math.min(row[b.length] as number, max + 1);
}
