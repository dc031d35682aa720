import { findAmongCandidates } from "./candidates.ts";
import { about, BY_ANOTHER, IS_SEARCH, type Plan } from "./plan.ts";
import { NOT_MANY_LEFT } from "./sample.ts";

/** Up to this number, candidates are looked at without a sample first. */
const CANDIDATES_FEW = 300;

/** All candidates of the cheap expression, sorted. */
export const fewCandidates: Plan = {
  name: "few candidates",
  applies: [
    BY_ANOTHER,
    IS_SEARCH,
    NOT_MANY_LEFT,
    {
      words: `at most ${about(CANDIDATES_FEW)} candidates of the cheap expression are expected`,
      holds: ({ expressions: [cheap] }) =>
        cheap !== undefined && cheap.candidates <= CANDIDATES_FEW,
      figures: ({ expressions: [cheap] }) => about(cheap?.candidates ?? 0),
    },
  ],
  run: (db, query) =>
    findAmongCandidates(db, query, query.expressions[0]?.match ?? "", CANDIDATES_FEW),
  givesUp: `there were more than ${about(CANDIDATES_FEW)} candidates`,
};
