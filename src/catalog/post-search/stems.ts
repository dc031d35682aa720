import { stemmer as englishStem } from "@orama/stemmers/english";
import { stemmer as russianStem } from "@orama/stemmers/russian";
import { foldText } from "../../values/fold-text.ts";
import { WHOLE_NOUNS } from "./whole-nouns.ts";

/** Longest form in UTF-16 units; longer ones are truncated, in texts and queries alike. */
export const FORM_LENGTH_MAX = 60;

const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}\p{M}]/gu;
/** Accents that do not combine with a letter into one character, such as stress marks: за́мок is замок. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Words that fold letter by letter. */
const PLAIN = /^[0-9A-Za-zА-Яа-яЁё]+$/;
const RUSSIAN = /^[а-я]+$/;
const ENGLISH = /^[a-z]+$/;

/** A word's form: folded, without signs and accents, truncated. Null if nothing is left. */
export function foldWord(raw: string): string | null {
  // The same result for nearly all Russian and English words, at a tenth of the cost.
  if (PLAIN.test(raw)) return cutForm(raw.toLowerCase().replaceAll("ё", "е"));
  const form = foldText(raw).replace(NEITHER_LETTER_NOR_DIGIT, "").replace(ACCENTS, "");
  return form === "" ? null : cutForm(form);
}

export function cutForm(form: string): string {
  if (form.length <= FORM_LENGTH_MAX) return form;
  // Half of a surrogate pair is not a character.
  return form.slice(0, FORM_LENGTH_MAX).replace(/[\ud800-\udbff]$/, "");
}

/**
 * Stem of a folded form. A form of two letters is its own stem, because the stemmer would cut ИИ to и; so
 * is one that the stemmer reduces to nothing.
 */
export function stemOf(form: string): string {
  if (form.length <= 2) return form;
  if (RUSSIAN.test(form)) return WHOLE_NOUNS.has(form) ? form : russianStem(form) || form;
  if (ENGLISH.test(form)) return englishStem(form) || form;
  return form;
}
