import type { Database } from "../../../db/database.ts";
import { idAt } from "../../channels/search-index.ts";
import { type Query, type Sample, UNBOUNDED } from "../query.ts";
import { CANDIDATES_MAX, type Expression } from "../search-terms.ts";
import { type Found, selectFound } from "./found.ts";
import { about, BY_ANOTHER, type Condition, IS_SEARCH, type Plan } from "./plan.ts";
import { isNarrow } from "./range.ts";
import { afterCondition, IN_INDEX } from "./sql-parts.ts";

/** One candidate in 61 is looked at first. A prime, so that ids imported in hundreds do not alias. */
const SAMPLED = 61;
/** A walk passes so many channels in the time in which one candidate is looked at. */
const WALKED_PER_LOOK = 8;

export const NOT_MANY_LEFT: Condition = {
  words:
    "a range of subscribers is asked for in another ordering, or at most " +
    `${about(CANDIDATES_MAX)} candidates of the last expression are expected`,
  holds: ({ isRangeApart, expressions }) =>
    isRangeApart || (expressions.at(-1)?.candidates ?? 0) <= CANDIDATES_MAX,
  figures: ({ expressions }) => about(expressions.at(-1)?.candidates ?? 0),
};

/**
 * Looks at some candidates of the cheap expression (where there are too many, at the first in the index:
 * the biggest channels), since the numbers that come with expressions are guesses, wrong by tens where
 * terms stand together in the same words. Where it is the cheapest way to look at all of them, the page
 * follows in the same statement; otherwise the plans behind it know more.
 */
export const sample: Plan = {
  name: "sample",
  applies: [BY_ANOTHER, IS_SEARCH, NOT_MANY_LEFT],
  run(db, query) {
    const [cheap, thorough] = query.expressions;
    if (cheap === undefined) return null;
    const [sampled, ...found] = sampleOrFind(db, query, cheap, thorough);
    const { matches = 0, left = 0, isFound } = sampled ?? {};
    query.sample = { matches, left };
    return isFound === 1 ? found : null;
  },
  givesUp: "another way is expected to be cheaper than to look at all candidates of the expression",
};

/** Candidates that may be looked at in the time that a walk is expected to take, if this many match. */
export function looksOfWalk(query: Query, matches: number): number {
  return walkedPerMatch(query) / WALKED_PER_LOOK / matches;
}

/** How many channels a walk meets, times how many match. */
function walkedPerMatch({ limit, expressions }: Query): number {
  return limit * (expressions[0]?.channels ?? 0);
}

/** How many candidates are expected where more came than are looked at. */
function expectedOf({ terms, candidates }: Expression, query: Query): number {
  // A single term was counted, in the whole index; for more it is a guess, which was too low.
  if (terms.length === 1 && !query.isRangeApart) return candidates;
  return Math.max(2 * CANDIDATES_MAX, isNarrow(query) ? 0 : candidates);
}

function sampleOrFind(
  db: Database,
  query: Query,
  cheap: Expression,
  thorough: Expression | undefined,
): (Found & Partial<Sample & { isFound: 0 | 1 }>)[] {
  const terms = (thorough?.terms ?? []).map((term, nth) => [`asked${nth}`, term] as const);
  const isLeft = terms.map(([name]) => `AND instr(search_text, @${name}) > 0`).join(" ");
  // Without the position: on its way a walk meets as many, wherever the page begins.
  const isMatch = `c.is_public = 1 AND c.kind = @kind ${query.range} ${query.tests}`;
  // Half a match more than was seen: none among so few does not mean that there is none.
  return selectFound<Found & Partial<Sample & { isFound: 0 | 1 }>>(
    db,
    `WITH
       candidates AS MATERIALIZED (
         SELECT ${idAt("rowid")} AS id FROM channel_search WHERE ${IN_INDEX} LIMIT @most + 1),
       counted (n) AS (
         SELECT iif(count(*) > @most, max(count(*), @more), count(*)) FROM candidates),
       looked (seen, matching, leaving) AS (
         SELECT count(*) + 1.0, total(${isMatch}) + 0.5, total(1 ${isLeft}) + 0.5
         FROM candidates m CROSS JOIN channels c ON c.id = m.id WHERE m.id % ${SAMPLED} = 0),
       expected (n, matches, left) AS (
         SELECT n, n * matching / seen, n * leaving / seen FROM counted, looked),
       sample (matches, left, isFound) AS MATERIALIZED (
         SELECT matches, left, n <= min(@most, @reading + left, @walk / max(matches, 1)) FROM expected)
     SELECT 0 AS id, NULL AS value, matches, left, isFound FROM sample
     UNION ALL SELECT * FROM (
       SELECT c.id, c.${query.column} AS value, NULL, NULL, NULL
       FROM candidates m CROSS JOIN channels c ON c.id = m.id
       WHERE (SELECT isFound FROM sample) AND ${isMatch} ${afterCondition(query)}
       ORDER BY c.${query.column} DESC, c.id LIMIT @limit)`,
    query,
    {
      ...Object.fromEntries(terms),
      match: cheap.match,
      most: CANDIDATES_MAX,
      more: expectedOf(cheap, query),
      reading: thorough?.reading ?? UNBOUNDED,
      walk: looksOfWalk(query, 1),
      ...query.part,
    },
  );
}
