import type { SeededRandom } from "./random.ts";
import {
  CITIES,
  ENGLISH_WORDS,
  LATIN_SYLLABLES,
  RUSSIAN_ADJECTIVES,
  RUSSIAN_NOUNS,
  SYLLABLES,
} from "./words.ts";

const SEPARATORS = [" | ", " • ", " — ", ": ", ", ", " / "];
const SYMBOLS = ["🔥", "⚡️", "✅", "📚", "💰", "🎮", "❤️", "™"];
const TOPICS = ["10 правил", "№ 1", "24/7", "100%", "2.0", "18+"];

/** A title of one to six words, in varying case, in at most two languages. */
export function title(random: SeededRandom): string {
  const parts = [phrase(random)];
  if (random.chance(0.3)) parts.push(random.pick(SEPARATORS), phrase(random));
  if (random.chance(0.08)) parts.push(" ", random.pick(SYMBOLS));
  return parts.join("");
}

/** A handle such as `news_kosa_3f`; unique because it ends with the channel's number. */
export function handle(random: SeededRandom, id: number): string {
  const word = random.pickOften(ENGLISH_WORDS);
  const name = syllables(random, LATIN_SYLLABLES, 2);
  return `${random.chance(0.3) ? capital(word) : word}_${name}_${id.toString(36)}`;
}

/** Sentences with at least `length` characters, and a few more. */
export function sentences(random: SeededRandom, length: number): string {
  const parts: string[] = [];
  for (let long = 0; long < length; ) {
    const sentence = `${capital(phraseWords(random, 4 + random.below(8)))}. `;
    parts.push(sentence);
    long += sentence.length;
  }
  return parts.join("").trimEnd();
}

function phrase(random: SeededRandom): string {
  const text = namedPhrase(random);
  const roll = random.next();
  if (roll < 0.1) return text.toUpperCase();
  return roll < 0.25 ? text.toLowerCase() : text;
}

function namedPhrase(random: SeededRandom): string {
  const noun = (): string => random.pickOften(RUSSIAN_NOUNS);
  const english = (): string => random.pickOften(ENGLISH_WORDS);
  const roll = random.next();
  if (roll < 0.18) return `${capital(noun())} ${random.pickOften(CITIES)}`;
  if (roll < 0.38) return `${capital(random.pickOften(RUSSIAN_ADJECTIVES))} ${noun()}`;
  if (roll < 0.55) return `${capital(noun())} и ${noun()}`;
  if (roll < 0.65) return `${capital(noun())} ${random.pick(TOPICS)}`;
  if (roll < 0.75) return `${capital(english())} ${capital(english())}`;
  if (roll < 0.82) return `${capital(english())} ${noun()}`;
  if (roll < 0.94) return `${capital(noun())} ${capital(syllables(random, SYLLABLES, 3))}`;
  return capital(syllables(random, SYLLABLES, 4));
}

function phraseWords(random: SeededRandom, count: number): string {
  return Array.from({ length: count }, () =>
    random.chance(0.8) ? random.pickOften(RUSSIAN_NOUNS) : random.pickOften(RUSSIAN_ADJECTIVES),
  ).join(" ");
}

function syllables(random: SeededRandom, from: readonly string[], most: number): string {
  return Array.from({ length: 2 + random.below(most) }, () => random.pick(from)).join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
