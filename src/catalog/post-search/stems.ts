import { stemmer as englishStem } from "@orama/stemmers/english";
import { stemmer as russianStem } from "@orama/stemmers/russian";
import { foldText } from "../../values/fold-text.ts";
import { isOnlyOfItsToken, lemmasWithin, lemmaToken, lemmaTokens } from "./dictionary/lemmas.ts";

/** Longest form in UTF-16 units; longer ones are truncated, in texts and queries alike. */
export const FORM_LENGTH_MAX = 60;

const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}\p{M}]/gu;
/** Accents that do not combine with a letter into one character, such as stress marks: за́мок is замок. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Words that fold letter by letter. */
const PLAIN = /^[0-9A-Za-zА-Яа-яЁё]+$/;
const RUSSIAN = /^[а-я]+$/;
/** Words that the dictionary may have. */
const LISTED = /^(?:[а-я]+|[a-z]+)$/;
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
 * The token that the index has for a folded form: its lemmas (dictionary/compile.ts), or its stem if the
 * dictionary lacks the word.
 */
export function stemOf(form: string): string {
  return (LISTED.test(form) ? lemmaToken(form) : null) ?? stemAlone(form);
}

/** Stems of all forms that a search for a form finds, its own first: several if forms have several lemmas. */
export function stemsFor(form: string): readonly string[] {
  const tokens = LISTED.test(form) ? lemmaTokens(form) : [];
  return tokens.length > 0 ? tokens : [stemAlone(form)];
}

/** Whether no other form has the stem of a form, so that the index finds it exactly. */
export function isOnlyForm(form: string): boolean {
  return LISTED.test(form) ? isOnlyOfItsToken(form) : stemAlone(form) === form;
}

/**
 * A form of two letters is its own stem, because the stemmer would cut ИИ to и; so is one that the stemmer
 * reduces to nothing.
 */
function stemAlone(form: string): string {
  if (form.length <= 2) return form;
  if (RUSSIAN.test(form)) return russianStem(form) || form;
  if (ENGLISH.test(form)) return englishStem(form) || form;
  return form;
}

/** Endings that the stemmers remove or replace; for Russian, those of Snowball's groups. */
const RUSSIAN_ENDINGS =
  "в вши вшись ив ивши ившись ыв ывши ывшись " +
  "ее ие ые ое ими ыми ей ий ый ой ем им ым ом его ого ему ому их ых ую юю ая яя ою ею " +
  "нный вший ющий щий ующий ся сь " +
  "ла на ете йте ли й л н ло но ет ют ны ть ешь нно ила ыла ена ейте уйте ите или ыли уй ил ыл ен ило ыло " +
  "ено ят ует уют ит ыт ены ить ыть ишь ю " +
  "а ев ов ье е иями ями ами еи ии и ией иям ям ием ам о у ах иях ях ы ь ию ью ия ья я ейший ость";
const ENGLISH_ENDINGS =
  "s es ed ings lying ers ments ness nesses ables ably ibly abilities ibilities allying " +
  "ances ancy ences ency ants ents ents ators ations ationally ated ates ating atively icated icates " +
  "icating ications icatively ically ities icities ivities als ally ionally ions sions " +
  "isms ists ives ively iveness ized izes izing izers izations ously ousness fully fulness lessly " +
  "lessness ogies ology ies ied ying y";

/** Texts that may complete the beginning of a word: endings, and the final parts of endings. */
function tailsOf(endings: string): string[] {
  const tails = endings
    .split(" ")
    .flatMap((ending) => Array.from(ending, (_, at) => ending.slice(at)));
  return [...new Set(["", ...tails])];
}

const RUSSIAN_TAILS = tailsOf(RUSSIAN_ENDINGS);
const ENGLISH_TAILS = tailsOf(ENGLISH_ENDINGS);
const HAS_LATIN = /[a-z]/;

/** Letters in which English stems differ from their words: compani of company, hope of hoping, possibl. */
const REPLACED = /[iely]$/;

/** Whether stems may begin with this text although words that have them do not. @param beginning a folded form */
export function beginsOtherStems(beginning: string): boolean {
  return ENGLISH.test(beginning) && REPLACED.test(beginning);
}

/** Shorter stems are ignored, because they belong to too many words. */
const STEM_LENGTH_MIN = 2;

/**
 * Stems that do not themselves begin with the given text, but may belong to words that do: `принимат*` may
 * match принимать, whose stem is принима, and `happy*` matches happy, whose stem is happi. Other words have
 * these stems too.
 * @param beginning a folded form
 */
export function stemsWithin(beginning: string): string[] {
  const stems = new Set(LISTED.test(beginning) ? lemmasWithin(beginning) : []);
  for (const tail of HAS_LATIN.test(beginning) ? ENGLISH_TAILS : RUSSIAN_TAILS) {
    const stem = stemAlone(beginning + tail);
    if (stem.length >= STEM_LENGTH_MIN && !stem.startsWith(beginning)) stems.add(stem);
  }
  return [...stems];
}
