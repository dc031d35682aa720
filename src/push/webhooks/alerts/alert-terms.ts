import type { Term } from "../../../catalog/post-search/post-query.ts";
import { createTermFinder } from "./term-finder.ts";

/** A registered term. */
interface Registered {
  term: Term;
  number: number;
  /** How many terms of alerts share it. */
  uses: number;
}

/** The terms of all alerts, each with a number shared by the alerts that use it. */
export function createAlertTerms() {
  const byKey = new Map<string, Registered>();
  const byNumber: (Registered | undefined)[] = [];
  const free: number[] = [];
  const finder = createTermFinder();
  return {
    /** Number of a term, which is registered if it is new. */
    acquire(term: Term): number {
      const key = keyOf(term);
      const registered = byKey.get(key);
      if (registered !== undefined) {
        registered.uses += 1;
        return registered.number;
      }
      const number = free.pop() ?? byNumber.length;
      const added = { term, number, uses: 1 };
      byKey.set(key, added);
      byNumber[number] = added;
      finder.add(term, number);
      return number;
    },

    /** Reverses one `acquire` of a term; the last one removes it. */
    release(number: number): void {
      const registered = byNumber[number];
      if (registered === undefined) return;
      registered.uses -= 1;
      if (registered.uses > 0) return;
      finder.remove(registered.term, number);
      byKey.delete(keyOf(registered.term));
      byNumber[number] = undefined;
      free.push(number);
    },

    /** Numbers of the terms that a text contains. */
    findIn: finder.findIn,
  };
}

/** A key for a term: terms that match the same words share one. */
function keyOf(term: Term): string {
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
