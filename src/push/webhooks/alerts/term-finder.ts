import type { PrefixTerm, Term } from "../../../catalog/post-search/post-query.ts";
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
  /** Number of the phrase that ends here, if one does. */
  number: number | null;
}

/** A trie of numbered phrases, keyed by the stems of their words. */
class PhraseTree {
  private readonly root: Node = { next: new Map(), number: null };

  get isEmpty(): boolean {
    return this.root.next.size === 0;
  }

  add(stems: readonly string[], number: number): void {
    change(this.root, stems, number);
  }

  remove(stems: readonly string[]): void {
    change(this.root, stems, null);
  }

  /**
   * Finds phrases in a text.
   * @param found called with the number of each phrase found
   * @returns a function to call with the stem of each word, in order
   */
  walk(found: (number: number) => void): (stem: string) => void {
    /** Nodes that the preceding words lead to, and the root, since any word may start a phrase. */
    let reached = [this.root];
    return (stem) => {
      const following = [this.root];
      for (const node of reached) {
        const next = node.next.get(stem);
        if (next === undefined) continue;
        following.push(next);
        if (next.number !== null) found(next.number);
      }
      reached = following;
    };
  }
}

/** Sets the number of a phrase. @param number null removes it, with nodes that lead to no other phrase */
function change(node: Node, stems: readonly string[], number: number | null): void {
  const [stem, ...rest] = stems;
  if (stem === undefined) {
    node.number = number;
    return;
  }
  const next = node.next.get(stem) ?? { next: new Map(), number: null };
  node.next.set(stem, next);
  change(next, rest, number);
  if (next.number === null && next.next.size === 0) node.next.delete(stem);
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
  const prefixes = new PrefixTerms();

  function change(by: "add" | "remove", term: Term, number: number): void {
    switch (term.kind) {
      case "stems": {
        const [only = "", ...others] = term.stems;
        if (others.length === 0) stems[by](only, number);
        else phrases[by](term.stems, number);
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
      const walk = phrases.isEmpty ? null : phrases.walk((number) => numbers.add(number));
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
