import { type Database, statement } from "../../../db/database.ts";
import { isFacet } from "../../channels/search-text.ts";
import { type Query, UNBOUNDED } from "../query.ts";
import { about, afterCondition, guard, IS_SEARCH, type Plan, textTests } from "./sql-parts.ts";

/**
 * Limit for candidates that are sorted before a walk is tried. With so many matches among a million
 * channels, a walk passes 7,000 channels before it fills a page of 50.
 */
const CANDIDATES_MAX = 7_000;
/** The same if a second condition narrows them: a walk would then pass more channels in vain. */
const NARROWED_MAX = 20_000;

/** Sorts all candidates of the expression: for rare texts. */
export const candidates: Plan = {
  name: "candidates",
  applies: [IS_SEARCH],
  run: (db, query) => findAmongCandidates(db, query, CANDIDATES_MAX),
  givesUp: `there are more than ${about(CANDIDATES_MAX)} candidates`,
};

/** Sorts more candidates: for searches that a second condition narrows. */
export const narrowedCandidates: Plan = {
  name: "narrowed candidates",
  applies: [
    IS_SEARCH,
    {
      words: "two things are searched, or a range is asked for in another ordering",
      holds: ({ boundsApart, tests }) => boundsApart.length > 0 || tests.length > 1,
    },
  ],
  run: (db, query) => findAmongCandidates(db, query, NARROWED_MAX),
  givesUp: `there are more than ${about(NARROWED_MAX)} candidates`,
};

/** Sorts all candidates, however many: for matches far down in the ordering. */
export const allCandidates: Plan = {
  name: "all candidates",
  applies: [IS_SEARCH],
  run: (db, query) => findAmongCandidates(db, query, UNBOUNDED),
};

/**
 * The page among the candidates of the expression; null if there are more than `most`, which the same
 * statement counts. Candidates are sorted before they are tested, so that texts are read only until the
 * page is full.
 */
function findAmongCandidates(db: Database, query: Query, most: number): Found[] | null {
  // The index stores each facet as one term, so facets in the expression need no further test.
  const lookedUp = query.expression?.terms.map((term) => term.text) ?? [];
  const text = textTests(
    query.tests.filter(({ term }) => !isFacet(term) || !lookedUp.includes(term)),
  );
  const [counted, ...found] = selectFound(
    db,
    `WITH
       candidates AS MATERIALIZED (
         SELECT rowid AS id FROM channel_search
         WHERE ${guard(most)} AND channel_search MATCH @match LIMIT @most + 1),
       counted (n) AS MATERIALIZED (SELECT count(*) FROM candidates)
     SELECT n AS id, NULL AS value FROM counted
     UNION ALL SELECT * FROM (
       SELECT c.id, c.value FROM (
         SELECT c.id, ${query.value} AS value
         FROM candidates f CROSS JOIN channels c ON c.id = f.id ${query.metricsJoin}
         WHERE ${guard(most)} AND (SELECT n FROM counted) <= @most
           AND c.is_public = 1 AND c.is_chat = @isChat
           ${query.conditions} ${afterCondition(query)}
         ORDER BY ${query.value} DESC, c.id LIMIT @most) c ${text.join}
       WHERE 1 ${text.where} LIMIT @limit)`,
    query,
    { match: query.expression?.match ?? "", most },
  );
  return counted !== undefined && counted.id <= most ? found : null;
}

/** The single channel that a handle or link refers to, tested against all other filters. */
export const byHandle: Plan = {
  name: "by handle",
  applies: [{ words: "a handle is asked for", holds: ({ filter }) => filter.channelId !== null }],
  run(db, query) {
    const text = textTests(query.tests);
    return selectFound(
      db,
      `SELECT c.id, ${query.value} AS value
       FROM channels c ${query.metricsJoin} ${text.join}
       WHERE c.id = @channelId AND c.is_public = 1 AND c.is_chat = @isChat
         ${query.conditions} ${afterCondition(query)} ${text.where}`,
      query,
    );
  },
};

export interface Found {
  id: number;
  value: number | null;
}

export function selectFound(
  db: Database,
  sql: string,
  query: Query,
  more: Record<string, string | number> = {},
): Found[] {
  return statement<Found>(db, sql).all({ ...query.values, limit: query.limit, ...more });
}

export function countRows(
  db: Database,
  sql: string,
  query: Query,
  more: Record<string, string | number>,
): number {
  const counting = statement<{ n: number }>(db, `SELECT count(*) AS n FROM (${sql})`);
  return counting.get({ ...query.values, ...more })?.n ?? 0;
}
