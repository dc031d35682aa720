import { UNBOUNDED } from "../query.ts";
import { about, type Plan } from "./plan.ts";
import { WALK_MAX } from "./sql-parts.ts";
import { walkOrdering } from "./walk-ordering.ts";

/** The ordering itself, until the page is full: where nothing is searched, or matches are dense. */
export const walk: Plan = {
  name: "walk",
  applies: [{ words: "every list can be walked", holds: () => true }],
  run: (db, query) => walkOrdering(db, query, query.expression === null ? UNBOUNDED : WALK_MAX),
  givesUp: `the page was not full after ${about(WALK_MAX)} channels`,
};
