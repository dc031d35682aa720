import { about, BY_SUBSCRIBERS, IS_SEARCH, type Plan } from "./plan.ts";
import { walkOrdering } from "./walk-ordering.ts";

/** With more candidates than this a step of the index may have thousands, and a walk is short. */
const DENSE = 20_000;
const DENSE_WALK_MAX = 10_000;

/** A walk of the ordering itself: amid a step in which many match it is shorter than the index. */
export const shortWalk: Plan = {
  name: "short walk",
  applies: [
    BY_SUBSCRIBERS,
    IS_SEARCH,
    {
      words: "the page begins amid a step of the search index",
      holds: ({ isAmid }) => isAmid,
    },
    {
      words: `more than ${about(DENSE)} candidates of the cheap expression are expected`,
      holds: ({ expressions: [cheap] }) => cheap !== undefined && cheap.candidates > DENSE,
      figures: ({ expressions: [cheap] }) => about(cheap?.candidates ?? 0),
    },
  ],
  run: (db, query) => walkOrdering(db, query, DENSE_WALK_MAX),
  givesUp: `the page was not full after ${about(DENSE_WALK_MAX)} channels`,
};
