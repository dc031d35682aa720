import { hasTerm } from "../../../catalog/post-search/match-tokens.ts";
import type { Term } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";
import { PhraseTree } from "./phrase-tree.ts";

/** Finds numbered terms in a text. The cost grows with its words, not with the number of terms. */
export function createTermFinder() {
  const stems = new Numbers();
  const forms = new Numbers();
  const marks = new Numbers();
  const phrases = new PhraseTree();
  const prefixes = new Numbers();
  /**
   * Prefixes by stems that do not begin with them but may belong to words that do: for such a stem, the
   * word itself is compared.
   */
  const prefixStems = new Numbers();
  const prefixTerms = new Map<number, Term>();
  /** Number of prefixes of each length. */
  const prefixLengths = new Map<number, number>();

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
      case "prefix": {
        const { length } = term.prefix;
        const alike = (prefixLengths.get(length) ?? 0) + (by === "add" ? 1 : -1);
        if (alike === 0) prefixLengths.delete(length);
        else prefixLengths.set(length, alike);
        if (by === "add") prefixTerms.set(number, term);
        else prefixTerms.delete(number);
        prefixes[by](term.prefix, number);
        for (const stem of term.stems) prefixStems[by](stem, number);
        return;
      }
      default:
        marks[by](term.form, number);
    }
  }

  const hasPrefix = (token: Token) => (number: number) => {
    const term = prefixTerms.get(number);
    return term !== undefined && hasTerm(term, [token]);
  };

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
        const { stem } = token;
        walk?.(stem);
        if (forms.size > 0) find(forms.of(token.form));
        find(prefixStems.of(stem)?.filter(hasPrefix(token)));
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

/** Numbers of terms, by the stem, form or mark that a text must contain. */
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
