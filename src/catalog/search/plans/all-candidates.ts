import { UNBOUNDED } from "../query.ts";
import { findAmongCandidates } from "./candidates.ts";
import { IS_SEARCH, type Plan } from "./plan.ts";

/** All candidates of the last expression, sorted, however many: the matches lie far down in the ordering. */
export const allCandidates: Plan = {
  name: "all candidates",
  applies: [IS_SEARCH],
  run: (db, query) =>
    findAmongCandidates(db, query, query.expressions.at(-1)?.match ?? "", UNBOUNDED),
};
