import { forgetManyWords, formOfWord, readWord, stemOfWord, stemsByNumber } from "./known-words.ts";
import { cutForm } from "./stems.ts";

/** Kinds of characters. The first two count only within a word, after its first letter. */
const UNSEEN = 1;
const COMBINING = 2;
const LETTER = 3;
const UNDERSCORE = 4;
const HASH = 5;
const AT = 6;

/**
 * Characters of each kind; later kinds override earlier ones. Invisible characters (a soft hyphen, a
 * joiner) and combining marks are part of a word, so that they do not split it.
 */
const KINDS = [
  [UNSEEN, /\p{Default_Ignorable_Code_Point}+/gu],
  [COMBINING, /\p{M}+/gu],
  [LETTER, /[\p{L}\p{N}]+/gu],
  [HASH, /#/g],
  [AT, /@/g],
  [UNDERSCORE, /_/g],
] as const;

/** Kind of each UTF-16 unit except surrogates: a table is ten times as fast as the regular expressions. */
const KIND_OF_UNIT = kindsOfUnits();

function kindsOfUnits(): Uint8Array {
  const kinds = new Uint8Array(2 ** 16);
  const units = Array.from(kinds, (_, unit) =>
    isSurrogate(unit) ? " " : String.fromCharCode(unit),
  );
  const text = units.join("");
  for (const [kind, characters] of KINDS) {
    for (const { index, 0: run } of text.matchAll(characters)) {
      kinds.fill(kind, index, index + run.length);
    }
  }
  return kinds;
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

/** Kind of each surrogate pair plus 1; 0 if it has not been looked up yet. */
const KIND_OF_PAIR = new Uint8Array(2 ** 20);

/**
 * Kind of the character that begins at a position; 0 for half of one.
 * @param units of a text, followed by a 0
 */
function kindAt(units: Uint16Array, at: number): number {
  const unit = units[at] ?? 0;
  if (!isSurrogate(unit)) return KIND_OF_UNIT[unit] ?? 0;
  const next = units[at + 1] ?? 0;
  if (unit >= 0xdc00 || (next & 0xfc00) !== 0xdc00) return 0;
  const pair = ((unit & 0x3ff) << 10) + (next & 0x3ff);
  const known = KIND_OF_PAIR[pair] ?? 0;
  if (known > 0) return known - 1;
  const character = String.fromCodePoint(0x10000 + pair);
  const kind = KINDS.findLast(([, characters]) => character.search(characters) === 0)?.[0] ?? 0;
  KIND_OF_PAIR[pair] = kind + 1;
  return kind;
}

/** A range in a text, in code points, `end` exclusive. */
export interface Place {
  start: number;
  end: number;
}

/** A word: a run of letters and digits, including those within a tag or handle. */
export interface Word extends Place {
  kind: "word";
  /** Folded: in lower case, with ё as е. */
  form: string;
  /** The form without its ending, in Russian and English; the form itself in other languages. */
  stem: string;
}

/** A `#tag` or `@handle`, reported in addition to the words in it. */
export interface Mark extends Place {
  kind: "tag" | "handle";
  /** Folded, including its sign: `#новости`. */
  form: string;
}

export type Token = Word | Mark;

/** Receives the tokens of a text in order, with positions in UTF-16 units. */
interface TokenReader {
  /** @param word its number, valid until the next text is read (known-words.ts) */
  word(word: number, start: number, end: number): void;
  /** Called after the words in the tag or handle. */
  mark(kind: Mark["kind"], form: string, start: number, end: number): void;
}

/** Buffer for the text being read: an array is read three times as fast as a string. */
let buffer = Buffer.alloc(2 ** 14);
let units = unitsOf(buffer);

function unitsOf(some: Buffer): Uint16Array {
  return new Uint16Array(some.buffer, some.byteOffset, some.length / 2);
}

/** Multiplier of the FNV hash. */
const HASHED_BY = 0x01000193;

/**
 * Reads the words, tags and handles of a text in order; a tag or handle follows the words in it. The same
 * function reads texts, queries, snippets and alerts.
 */
export function readTokens(text: string, reader: TokenReader): void {
  forgetManyWords();
  const { length } = text;
  if (length >= units.length) {
    buffer = Buffer.alloc(4 * length);
    units = unitsOf(buffer);
  }
  buffer.write(text, 0, "utf16le");
  units[length] = 0;

  let mark: { kind: Mark["kind"]; form: string; start: number } | null = null;
  /** Offset after the last word or underscore. */
  let end = 0;
  /**
   * Offset after the last sign, word or underscore. A word that begins there continues a tag or handle; a
   * sign there begins none.
   */
  let adjacent = -1;
  const endMark = (): void => {
    if (mark !== null && mark.form.length > 1) {
      reader.mark(mark.kind, cutForm(mark.form), mark.start, end);
    }
    mark = null;
  };
  for (let at = 0; at < length; ) {
    const kind = kindAt(units, at);
    if (kind < LETTER) {
      at += 1;
      continue;
    }
    const isAdjacent = at === adjacent;
    if (mark !== null && (!isAdjacent || kind > UNDERSCORE)) endMark();
    if (kind > UNDERSCORE) {
      const start = at;
      at += 1;
      // A sign alone is not a tag or handle.
      const next = kindAt(units, at);
      if (next !== LETTER && next !== UNDERSCORE) continue;
      adjacent = at;
      // A mail address, or c#minor, contains neither tag nor handle.
      if (isAdjacent) continue;
      mark =
        kind === HASH ? { kind: "tag", form: "#", start } : { kind: "handle", form: "@", start };
      continue;
    }
    if (kind === UNDERSCORE) {
      if (mark !== null) mark.form += "_";
      at += 1;
    } else {
      const start = at;
      at = endOfWord(at);
      const word = readWord(units, start, at, hashOf(start, at));
      if (word !== -1) {
        if (mark !== null) mark.form += formOfWord(word);
        reader.word(word, start, at);
      }
    }
    adjacent = at;
    end = at;
  }
  endMark();
}

/**
 * Offset after the last letter or combining mark of the word at a position; invisible characters may be in
 * between.
 */
function endOfWord(from: number): number {
  let at = from;
  while (KIND_OF_UNIT[units[at] ?? 0] === LETTER) at += 1;
  let end = at;
  for (;;) {
    const kind = kindAt(units, at);
    if (kind === 0 || kind > LETTER) return end;
    at += isSurrogate(units[at] ?? 0) ? 2 : 1;
    if (kind !== UNSEEN) end = at;
  }
}

function hashOf(from: number, to: number): number {
  let hash = 0;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (units[at] ?? 0), HASHED_BY);
  return hash;
}

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const points = pointsOf(text);
  const placeOf = (at: number): number => (points === null ? at : (points[at] ?? 0));
  readTokens(text, {
    word(word, start, end) {
      tokens.push({
        kind: "word",
        form: formOfWord(word),
        stem: stemsByNumber[stemOfWord(word)] ?? "",
        start: placeOf(start),
        end: placeOf(end),
      });
    },
    mark: (kind, form, start, end) =>
      tokens.push({ kind, form, start: placeOf(start), end: placeOf(end) }),
  });
  return tokens;
}

/** Number of code points before each unit of a text; null if every unit is one. */
function pointsOf(text: string): Uint32Array | null {
  if (!/[\ud800-\udfff]/.test(text)) return null;
  const points = new Uint32Array(text.length + 1);
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    points[at] = before;
    // Both halves of a surrogate pair get the position of the first.
    if ((text.codePointAt(at) ?? 0) < 0x10000) before += 1;
  }
  points[text.length] = before;
  return points;
}
