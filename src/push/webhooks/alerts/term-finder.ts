import { hasTerm } from "../../../catalog/post-search/finding/match-tokens.ts";
import type { PrefixTerm, StemsTerm, Term } from "../../../catalog/post-search/post-query.ts";
import { sequencesOf } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";

/** Numbers of terms, by the stem, form or mark that a text must contain. */
export class NumbersByText {
  private readonly byText = new Map<string, number[]>();

  get size(): number {
    return this.byText.size;
  }

  of(text: string): readonly number[] | undefined {
    return this.byText.get(text);
  }

  add(text: string, number: number): void {
    const numbers = this.byText.get(text);
    if (numbers === undefined) this.byText.set(text, [number]);
    else numbers.push(number);
  }

  remove(text: string, number: number): void {
    const numbers = (this.byText.get(text) ?? []).filter((one) => one !== number);
    if (numbers.length === 0) this.byText.delete(text);
    else this.byText.set(text, numbers);
  }
}

interface Node {
  next: Map<string, Node>;
  /** Numbers of the phrases that end here. */
  numbers: number[];
}

/** A trie of numbered phrases, keyed by the stems of their words. */
class PhraseTree {
  private readonly root: Node = { next: new Map(), numbers: [] };

  get isEmpty(): boolean {
    return this.root.next.size === 0;
  }

  add(stems: readonly string[], number: number): void {
    change(this.root, stems, (numbers) => [...numbers, number]);
  }

  remove(stems: readonly string[], number: number): void {
    change(this.root, stems, (numbers) => numbers.filter((one) => one !== number));
  }

  /**
   * Finds phrases in a text.
   * @param found called with the numbers of each phrase found
   * @returns a function to call with the stem of each word, in order
   */
  walk(found: (numbers: readonly number[]) => void): (stem: string) => void {
    /** Nodes that the preceding words lead to, and the root, since any word may start a phrase. */
    let reached = [this.root];
    return (stem) => {
      const following = [this.root];
      for (const node of reached) {
        const next = node.next.get(stem);
        if (next === undefined) continue;
        following.push(next);
        if (next.numbers.length > 0) found(next.numbers);
      }
      reached = following;
    };
  }
}

/** Changes the numbers of a phrase; nodes that lead to no phrase are removed. */
function change(
  node: Node,
  stems: readonly string[],
  changed: (numbers: number[]) => number[],
): void {
  const [stem, ...rest] = stems;
  if (stem === undefined) {
    node.numbers = changed(node.numbers);
    return;
  }
  const next = node.next.get(stem) ?? { next: new Map(), numbers: [] };
  node.next.set(stem, next);
  change(next, rest, changed);
  if (next.numbers.length === 0 && next.next.size === 0) node.next.delete(stem);
}

/** Numbered phrases of too many sequences for a trie: looked for where their first word occurs. */
class LongPhrases {
  private readonly byFirst = new NumbersByText();
  private readonly terms = new Map<number, StemsTerm>();

  add(term: StemsTerm, number: number): void {
    this.terms.set(number, term);
    for (const stem of term.stems[0] ?? []) this.byFirst.add(stem, number);
  }

  remove(term: StemsTerm, number: number): void {
    this.terms.delete(number);
    for (const stem of term.stems[0] ?? []) this.byFirst.remove(stem, number);
  }

  /** Numbers of those in a text that begin with a word of this stem. */
  in(tokens: readonly Token[], stem: string): readonly number[] | undefined {
    return this.byFirst.of(stem)?.filter((number) => {
      const term = this.terms.get(number);
      return term !== undefined && hasTerm(term, tokens);
    });
  }
}

/** Numbered prefixes of words. */
class PrefixTerms {
  private readonly byPrefix = new NumbersByText();
  /** Number of prefixes of each length. */
  private readonly lengths = new Map<number, number>();

  add({ prefix }: PrefixTerm, number: number): void {
    this.lengths.set(prefix.length, (this.lengths.get(prefix.length) ?? 0) + 1);
    this.byPrefix.add(prefix, number);
  }

  remove({ prefix }: PrefixTerm, number: number): void {
    const left = (this.lengths.get(prefix.length) ?? 1) - 1;
    if (left === 0) this.lengths.delete(prefix.length);
    else this.lengths.set(prefix.length, left);
    this.byPrefix.remove(prefix, number);
  }

  /** Calls `found` with the numbers of each prefix that the word begins with. */
  eachOfWord(form: string, found: (numbers: readonly number[] | undefined) => void): void {
    for (const length of this.lengths.keys()) {
      if (length <= form.length) found(this.byPrefix.of(form.slice(0, length)));
    }
  }
}

/** Finds numbered terms in a text. The cost grows with its words, not with the number of terms. */
export function createTermFinder() {
  const stems = new NumbersByText();
  const forms = new NumbersByText();
  const marks = new NumbersByText();
  const phrases = new PhraseTree();
  const longPhrases = new LongPhrases();
  const prefixes = new PrefixTerms();

  function change(by: "add" | "remove", term: Term, number: number): void {
    switch (term.kind) {
      case "stems": {
        const [first = [], ...others] = term.stems;
        const sequences = sequencesOf(term.stems);
        if (others.length === 0) for (const stem of first) stems[by](stem, number);
        else if (sequences === null) longPhrases[by](term, number);
        else for (const sequence of sequences) phrases[by](sequence, number);
        return;
      }
      case "form":
        forms[by](term.form, number);
        return;
      case "prefix":
        prefixes[by](term, number);
        return;
      default:
        marks[by](term.form, number);
    }
  }

  return {
    add: (term: Term, number: number): void => change("add", term, number),
    remove: (term: Term, number: number): void => change("remove", term, number),

    /** Numbers of the terms found in a text, without duplicates. */
    findIn(tokens: readonly Token[]): number[] {
      const numbers = new Set<number>();
      const find = (found: readonly number[] | undefined): void => {
        for (const number of found ?? []) numbers.add(number);
      };
      const seen = new Set<string>();
      const walk = phrases.isEmpty ? null : phrases.walk(find);
      for (const token of tokens) {
        if (token.kind !== "word") {
          find(marks.of(token.form));
          continue;
        }
        const { stem, form } = token;
        walk?.(stem);
        if (seen.has(form)) continue;
        seen.add(form);
        find(stems.of(stem));
        find(longPhrases.in(tokens, stem));
        if (forms.size > 0) find(forms.of(form));
        prefixes.eachOfWord(form, find);
      }
      return [...numbers];
    },
  };
}

/** Slots per word of a bitmap. */
const BITS = 32;
/** Longest list: adding 100 slots one by one costs as much as a bitmap of 10,000. */
const LIST_MAX = 100;

/** A bitmap with one bit per slot. */
type Bits = Uint32Array<ArrayBuffer>;

export function bitsFor(slots: number): Bits {
  return new Uint32Array(Math.ceil(slots / BITS));
}

export function setBit(bits: Bits, slot: number, isSet: boolean): void {
  const word = slot >>> 5;
  const bit = 1 << (slot & (BITS - 1));
  bits[word] = isSet ? (bits[word] ?? 0) | bit : (bits[word] ?? 0) & ~bit;
}

/** A set of slots, stored as a list while small and as a bitmap otherwise. */
export class SlotSet {
  private list: number[] | null = [];
  private bits: Bits = bitsFor(0);
  size = 0;

  /**
   * Adds a slot that is not in the set.
   * @param slots number of possible slots, which may have grown since the previous call
   */
  add(slot: number, slots: number): void {
    this.size += 1;
    if (this.list !== null && this.list.length < LIST_MAX) this.list.push(slot);
    else {
      this.toBits(slots);
      setBit(this.bits, slot, true);
    }
  }

  /** Removes a slot that is in the set. */
  remove(slot: number): void {
    this.size -= 1;
    if (this.list === null) setBit(this.bits, slot, false);
    else this.list.splice(this.list.indexOf(slot), 1);
  }

  /** Sets the bits of its slots in a bitmap. */
  addTo(bits: Bits): void {
    if (this.list !== null) {
      for (const slot of this.list) setBit(bits, slot, true);
      return;
    }
    const own = this.bits;
    for (let at = 0; at < own.length; at += 1) bits[at] = (bits[at] ?? 0) | (own[at] ?? 0);
  }

  private toBits(slots: number): void {
    const before = this.bits;
    const list = this.list ?? [];
    if (this.list === null && before.length >= bitsFor(slots).length) return;
    this.bits = bitsFor(slots);
    this.bits.set(before);
    for (const slot of list) setBit(this.bits, slot, true);
    this.list = null;
  }
}
