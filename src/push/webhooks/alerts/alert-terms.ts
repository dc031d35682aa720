import type { Term } from "../../../catalog/post-search/post-query.ts";
import { createTermFinder } from "./term-finder.ts";

/** A registered term. */
interface Known {
  term: Term;
  number: number;
  takers: number;
}

/** The terms of all alerts, each with a number shared by the alerts that use it. */
export function createAlertTerms() {
  const byName = new Map<string, Known>();
  const byNumber: (Known | undefined)[] = [];
  const free: number[] = [];
  const finder = createTermFinder();
  return {
    /** Returns the number of a term, registering it if it is new. */
    take(term: Term): number {
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
      finder.add(term, number);
      return number;
    },

    /** Reverses one `take` of a term; the last one removes it. */
    release(number: number): void {
      const known = byNumber[number];
      if (known === undefined) return;
      known.takers -= 1;
      if (known.takers > 0) return;
      finder.remove(known.term, number);
      byName.delete(nameOf(known.term));
      byNumber[number] = undefined;
      free.push(number);
    },

    findIn: finder.findIn,
  };
}

/** A term's name; terms that match the same words share one. */
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
