import { hasTerm } from "../../../catalog/post-search/match-tokens.ts";
import type { Term } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";

/** Terms of all alerts, each with a number, however many alerts ask for it. */
interface AlertTerms {
  /** The number of a term, which is known from then on. */
  take(term: Term): number;
  /** Ends one `take` of a term: it is forgotten with the last. */
  release(number: number): void;
  /**
   * The numbers of the terms that a text has, each once. The cost grows with its words, and not with the
   * terms that are known.
   */
  findIn(tokens: readonly Token[]): number[];
}

/** A term that is known. */
interface Known {
  term: Term;
  number: number;
  takers: number;
}

/** The known phrases that begin with the stems on the way to here. */
interface PhraseNode {
  next: Map<string, PhraseNode>;
  /** The phrase that ends here. */
  number: number | null;
}

export function createAlertTerms(): AlertTerms {
  const byName = new Map<string, Known>();
  const byNumber: (Known | undefined)[] = [];
  const free: number[] = [];
  const stems = new Numbers();
  const forms = new Numbers();
  const marks = new Numbers();
  const prefixes = new Numbers();
  /** Prefixes by the shorter stem that their words may have: such a word is compared itself. */
  const prefixStems = new Numbers();
  /** How many known prefixes are of a length. */
  const prefixLengths = new Map<number, number>();
  const phrases: PhraseNode = { next: new Map(), number: null };

  function change(by: 1 | -1, { term, number }: Known): void {
    const change = by === 1 ? "add" : "remove";
    switch (term.kind) {
      case "stems": {
        const [only = "", ...others] = term.stems;
        if (others.length === 0) stems[change](only, number);
        else changePhrase(phrases, term.stems, by === 1 ? number : null);
        return;
      }
      case "form":
        forms[change](term.form, number);
        return;
      case "prefix": {
        const { length } = term.prefix;
        prefixes[change](term.prefix, number);
        prefixLengths.set(length, (prefixLengths.get(length) ?? 0) + by);
        if (prefixLengths.get(length) === 0) prefixLengths.delete(length);
        for (const stem of term.stems) prefixStems[change](stem, number);
        return;
      }
      default:
        marks[change](term.form, number);
    }
  }

  const isKnownIn = (number: number, token: Token): boolean => {
    const { term } = byNumber[number] ?? {};
    return term !== undefined && hasTerm(term, [token]);
  };

  return {
    take(term) {
      const name = nameOf(term);
      const known = byName.get(name);
      if (known !== undefined) {
        known.takers += 1;
        return known.number;
      }
      const number = free.pop() ?? byNumber.length;
      const added = { term, number, takers: 1 };
      byName.set(name, added);
      byNumber[number] = added;
      change(1, added);
      return number;
    },

    release(number) {
      const known = byNumber[number];
      if (known === undefined) return;
      known.takers -= 1;
      if (known.takers > 0) return;
      change(-1, known);
      byName.delete(nameOf(known.term));
      byNumber[number] = undefined;
      free.push(number);
    },

    findIn(tokens) {
      const numbers = new Set<number>();
      const find = (found: readonly number[] | undefined): void => {
        for (const number of found ?? []) numbers.add(number);
      };
      const seen = new Set<string>();
      let ways: PhraseNode[] = [];
      for (const token of tokens) {
        if (token.kind !== "word") {
          find(marks.of(token.form));
          continue;
        }
        const { stem } = token;
        if (phrases.next.size > 0) {
          ways = waysOn(ways, phrases, stem);
          for (const { number } of ways) if (number !== null) numbers.add(number);
        }
        if (forms.size > 0) find(forms.of(token.form));
        find(prefixStems.of(stem)?.filter((number) => isKnownIn(number, token)));
        if (seen.has(stem)) continue;
        seen.add(stem);
        find(stems.of(stem));
        for (const length of prefixLengths.keys()) {
          if (length <= stem.length) find(prefixes.of(stem.slice(0, length)));
        }
      }
      return [...numbers];
    },
  };
}

/** Where in known phrases the next word leads from the places before it, and from their beginning. */
function waysOn(ways: readonly PhraseNode[], begin: PhraseNode, stem: string): PhraseNode[] {
  const on: PhraseNode[] = [];
  for (const node of ways) {
    const next = node.next.get(stem);
    if (next !== undefined) on.push(next);
  }
  const first = begin.next.get(stem);
  if (first !== undefined) on.push(first);
  return on;
}

/** Numbers of terms by what a text has to have for them. */
class Numbers {
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

/** @param number null: takes the phrase out, with the nodes that lead to no other one */
function changePhrase(node: PhraseNode, stems: readonly string[], number: number | null): void {
  const [stem, ...rest] = stems;
  if (stem === undefined) {
    node.number = number;
    return;
  }
  const next = node.next.get(stem) ?? { next: new Map(), number: null };
  node.next.set(stem, next);
  changePhrase(next, rest, number);
  if (next.number === null && next.next.size === 0) node.next.delete(stem);
}

/** A term's name; terms that find the same share one. */
function nameOf(term: Term): string {
  switch (term.kind) {
    case "stems":
      return term.stems.join(" ");
    case "form":
      return `=${term.form}`;
    case "prefix":
      return `${term.prefix}*`;
    default:
      return term.form;
  }
}
