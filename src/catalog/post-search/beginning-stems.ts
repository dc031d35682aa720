import { stemOf } from "./stems.ts";

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

/** Shorter stems are ignored, because they belong to too many words. */
const STEM_LENGTH_MIN = 2;

/**
 * Stems that do not themselves begin with the given text, but may belong to words that do: `принимат*` may
 * match принимать, whose stem is принима, and `happy*` matches happy, whose stem is happi. Other words have
 * these stems too.
 * @param beginning a folded form
 */
export function stemsWithin(beginning: string): string[] {
  const stems = new Set<string>();
  for (const tail of HAS_LATIN.test(beginning) ? ENGLISH_TAILS : RUSSIAN_TAILS) {
    const stem = stemOf(beginning + tail);
    if (stem.length >= STEM_LENGTH_MIN && !stem.startsWith(beginning)) stems.add(stem);
  }
  return [...stems];
}
