import { CANDIDATES_MAX } from "../search-terms.ts";
import { findAmongCandidates } from "./candidates.ts";
import { about, type Plan } from "./plan.ts";
import { looksOfWalk } from "./sample.ts";

/** All candidates of the thorough expression, sorted. */
export const thoroughCandidates: Plan = {
  name: "thorough candidates",
  applies: [
    {
      words: "some candidates were looked at",
      holds: ({ sample }) => sample !== null,
    },
    {
      words: "there is a thorough expression",
      holds: ({ expressions }) => expressions.length > 1,
    },
    {
      words: "to read the index for it and look at what it leaves costs no more than a walk",
      holds: (query) => {
        const { reading = 0 } = query.expressions[1] ?? {};
        const { matches = 0, left = 0 } = query.sample ?? {};
        return reading + left <= looksOfWalk(query, matches);
      },
      figures: (query) => {
        const { reading = 0 } = query.expressions[1] ?? {};
        const { matches = 0, left = 0 } = query.sample ?? {};
        const walk = looksOfWalk(query, matches);
        return `in looks at a candidate: ${about(reading)} + ${about(left)} against ${about(walk)}`;
      },
    },
  ],
  run: (db, query) =>
    findAmongCandidates(db, query, query.expressions[1]?.match ?? "", CANDIDATES_MAX),
  givesUp: `there were more than ${about(CANDIDATES_MAX)} candidates`,
};
