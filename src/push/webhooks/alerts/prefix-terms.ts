import { hasTerm } from "../../../catalog/post-search/match-tokens.ts";
import type { Term } from "../../../catalog/post-search/post-query.ts";
import type { Token } from "../../../catalog/post-search/tokens.ts";
import { NumbersByText } from "./numbers-by-text.ts";

type PrefixTerm = Extract<Term, { kind: "prefix" }>;

/** Numbered prefixes of words, found by the words' stems. */
export class PrefixTerms {
  private readonly byNumber = new Map<number, PrefixTerm>();
  private readonly byPrefix = new NumbersByText();
  /**
   * Prefixes by stems that do not begin with them but may belong to words that do: for such a stem, the
   * word itself is compared.
   */
  private readonly byStem = new NumbersByText();
  /** Number of prefixes of each length. */
  private readonly lengths = new Map<number, number>();

  add(term: PrefixTerm, number: number): void {
    const { length } = term.prefix;
    this.lengths.set(length, (this.lengths.get(length) ?? 0) + 1);
    this.byNumber.set(number, term);
    this.byPrefix.add(term.prefix, number);
    for (const stem of term.stems) this.byStem.add(stem, number);
  }

  remove(term: PrefixTerm, number: number): void {
    const { length } = term.prefix;
    const left = (this.lengths.get(length) ?? 1) - 1;
    if (left === 0) this.lengths.delete(length);
    else this.lengths.set(length, left);
    this.byNumber.delete(number);
    this.byPrefix.remove(term.prefix, number);
    for (const stem of term.stems) this.byStem.remove(stem, number);
  }

  /** Numbers of prefixes that the word begins with, though its stem does not. */
  ofWord(token: Token & { kind: "word" }): readonly number[] | undefined {
    return this.byStem.of(token.stem)?.filter((number) => {
      const term = this.byNumber.get(number);
      return term !== undefined && hasTerm(term, [token]);
    });
  }

  /** Calls `found` with the numbers of each prefix that the stem begins with. */
  eachOfStem(stem: string, found: (numbers: readonly number[] | undefined) => void): void {
    for (const length of this.lengths.keys()) {
      if (length <= stem.length) found(this.byPrefix.of(stem.slice(0, length)));
    }
  }
}
