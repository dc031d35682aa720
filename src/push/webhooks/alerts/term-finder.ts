import type { Term } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";
import { NumbersByText } from "./numbers-by-text.ts";
import { PhraseTree } from "./phrase-tree.ts";
import { PrefixTerms } from "./prefix-terms.ts";

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
        const { stem } = token;
        walk?.(stem);
        if (forms.size > 0) find(forms.of(token.form));
        find(prefixes.ofWord(token));
        if (seen.has(stem)) continue;
        seen.add(stem);
        find(stems.of(stem));
        prefixes.eachOfStem(stem, find);
      }
      return [...numbers];
    },
  };
}
