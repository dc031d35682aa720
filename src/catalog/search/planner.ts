import type { Database } from "../../db/database.ts";
import type { CatalogSelection } from "./catalog.ts";
import { byHandle } from "./plans/by-handle.ts";
import { allCandidates, candidates, narrowedCandidates } from "./plans/candidates.ts";
import type { Found } from "./plans/found.ts";
import type { Plan } from "./plans/plan.ts";
import { range } from "./plans/range.ts";
import { walk } from "./plans/walk.ts";
import { prepareSelection, type Query } from "./query.ts";
import { expressionOf } from "./search-terms.ts";

/**
 * All plans for finding a page, in the order in which they are tried: the first that applies and does not
 * give up finds it. They all find the same page; which one is cheap depends on the number of matches
 * (plans/plans.md).
 */
export const PLANS: readonly Plan[] = [
  ...[byHandle, candidates, range, narrowedCandidates, walk, allCandidates],
];

export function queryOf(db: Database, selection: CatalogSelection): Query {
  const prepared = prepareSelection(selection);
  const isSearch = prepared.terms.length > 0;
  return { ...prepared, expression: isSearch ? expressionOf(db, prepared.terms) : null };
}

export interface Planned {
  found: Found[];
  taken: Plan;
  gaveUp: readonly Plan[];
}

export function findByPlan(db: Database, query: Query): Planned {
  const gaveUp: Plan[] = [];
  for (const plan of PLANS) {
    if (!plan.applies.every(({ holds }) => holds(query))) continue;
    const found = plan.run(db, query);
    if (found !== null) return { found, taken: plan, gaveUp };
    gaveUp.push(plan);
  }
  throw new Error("the last plan gave up");
}
