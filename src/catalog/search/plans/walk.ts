import { UNBOUNDED } from "../query.ts";
import { about, type Plan } from "./plan.ts";
import { WALK_MAX } from "./sql-parts.ts";
import { walkOrdering } from "./walk-ordering.ts";

/** Walks the ordering itself until the page is full: if nothing is searched, or matches are frequent. */
export const walk: Plan = {
  name: "walk",
  applies: [{ words: "every list can be walked", holds: () => true }],
  run: (db, query) => walkOrdering(db, query, query.expression === null ? UNBOUNDED : WALK_MAX),
  givesUp: `the page was not full after ${about(WALK_MAX)} channels`,
};
