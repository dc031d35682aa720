import { stemOf } from "./stems.ts";

/** Endings that the stemmers cut, in Russian those of Snowball's groups. */
const ENDINGS = (
  "в вши вшись ив ивши ившись ыв ывши ывшись " +
  "ее ие ые ое ими ыми ей ий ый ой ем им ым ом его ого ему ому их ых ую юю ая яя ою ею " +
  "нный вший ющий щий ующий ся сь " +
  "ла на ете йте ли й л н ло но ет ют ны ть ешь нно ила ыла ена ейте уйте ите или ыли уй ил ыл ен ило ыло " +
  "ено ят ует уют ит ыт ены ить ыть ишь ю " +
  "а ев ов ье е иями ями ами еи ии и ией иям ям ием ам о у ах иях ях ы ь ию ью ия ья я ейший ость " +
  "s es ed ing ly er ment ness"
).split(" ");

/** Texts that complete the beginning of a word: endings, and the ends of endings. */
const TAILS = new Set([
  "",
  ...ENDINGS.flatMap((ending) => Array.from(ending, (_, at) => ending.slice(at))),
]);

/** Shorter stems are of too many words. */
const STEM_LENGTH_MIN = 2;

/**
 * The stems, shorter than a beginning, that words which begin so may have: `принимат` is within принимать, whose
 * stem is принима. Other words have them too.
 * @param beginning a folded form
 */
export function stemsWithin(beginning: string): string[] {
  const stems = new Set<string>();
  for (const tail of TAILS) {
    const stem = stemOf(beginning + tail);
    const isShorter = stem.length >= STEM_LENGTH_MIN && stem.length < beginning.length;
    if (isShorter && beginning.startsWith(stem)) stems.add(stem);
  }
  return [...stems];
}
