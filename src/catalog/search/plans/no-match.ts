import type { Plan } from "./plan.ts";

/** Titles and handles are on one line each, so such a text could only match across the two. */
export const noMatch: Plan = {
  name: "no match",
  applies: [
    {
      words: "the text has a line break, which no title or handle has",
      holds: ({ filter }) => filter.text?.includes("\n") === true,
    },
  ],
  run: () => [],
};
