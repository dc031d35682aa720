import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { facet } from "../channels/search-text.ts";
import { hourRow } from "./index-rows.ts";
import { isLevel } from "./index-text.ts";
import { matchExpression, needsText } from "./match-expression.ts";
import { isMatch } from "./match-tokens.ts";
import type { PostFilter, PostSearchSelection } from "./post-search.ts";
import { tokensOf } from "./tokens.ts";

/** Matches that are counted at the most. */
const COUNTED_MAX = 10_000;
/** Matches whose texts are read only to count them: 100 us each. */
const TEXTS_COUNTED_MAX = 100;
/** More channels that changed lately are not asked for by themselves: their posts are found a little later. */
const STALE_MAX = 50;

/** A match, as the index has it. */
export interface Match {
  row: number;
  id: number;
  published_at: number;
  views: number;
  words: number;
}

/** What the index is asked for, and what is tested of its answers beside. */
export interface Asked {
  match: string;
  /** Rows from the first on, the last not included. */
  low: number;
  high: number;
  /** SQL: tables and conditions that test a match's channel and views. */
  tests: { joins: string; conditions: string; values: Record<string, string | number> };
  /** Tests a match's text; null where the index has all that is asked for. */
  hasText: ((id: number) => boolean) | null;
}

/** A row, a time and a number of views that nothing comes after. */
export const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export function askedOf(db: Database, { query, filter }: PostSearchSelection): Asked {
  const stale = statement<{ channel_id: number }>(
    db,
    "SELECT channel_id FROM post_search_stale ORDER BY channel_id LIMIT ?",
  )
    .all(STALE_MAX)
    .map(({ channel_id }) => channel_id);
  const text = statement<{ text: string }>(db, "SELECT text FROM posts WHERE id = ?");
  return {
    match: matchExpression(query, filter, stale),
    low: filter.fromMs === null ? -UNBOUNDED : hourRow(filter.fromMs),
    high: filter.untilMs === null ? UNBOUNDED : hourRow(filter.untilMs),
    tests: testsOf(filter, stale.length > 0),
    hasText: needsText(query) ? (id) => isMatch(query, tokensOf(text.get(id)?.text ?? "")) : null,
  };
}

/** The index may have former facets of channels that changed lately, and has views in levels. */
function testsOf(
  { categoryId, territoryId, viewsMin }: PostFilter,
  isStale: boolean,
): Asked["tests"] {
  const tests: Asked["tests"] = { joins: "", conditions: "", values: {} };
  if (viewsMin !== null && !isLevel(viewsMin)) {
    tests.conditions += " AND m.views >= @viewsMin";
    tests.values["viewsMin"] = viewsMin;
  }
  if (!isStale) return tests;
  tests.joins = `CROSS JOIN channels c ON c.id = m.channel_id
    CROSS JOIN channel_texts t ON t.id = m.channel_id`;
  tests.conditions += " AND c.is_public = 1";
  if (categoryId !== null) {
    tests.conditions += " AND instr(t.search_text, @category) > 0";
    tests.values["category"] = facet("category", categoryId);
  }
  if (territoryId !== null) {
    tests.conditions += " AND instr(t.search_text, @territory) > 0";
    tests.values["territory"] = facet("territory", territoryId);
  }
  return tests;
}

/** SQL: matches from the newest hour on, those of an hour in the order in which they came. */
function matchesSql({ tests }: Asked, columns: string): string {
  return `SELECT ${columns} FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid
      ${tests.joins}
    WHERE ${WITHIN_DEADLINE} AND s.post_search MATCH @match AND s.rowid >= @low AND s.rowid < @high
      ${tests.conditions}
    ORDER BY s.rowid DESC`;
}

const MATCH_COLUMNS = "m.row, m.post_id AS id, m.published_at, m.views, m.words";

/** Matches from the newest hour on, one at a time. */
export function* walkMatches(db: Database, asked: Asked): Generator<Match, void> {
  const { match, low, high, tests, hasText } = asked;
  const values = { match, low, high, ...tests.values };
  const rows = statement<Match>(db, matchesSql(asked, MATCH_COLUMNS)).iterate(values);
  for (const row of rows) if (hasText === null || hasText(row.id)) yield row;
}

export function countMatches(db: Database, asked: Asked): { matches: number; isCapped: boolean } {
  const { match, low, high, tests, hasText } = asked;
  if (hasText !== null) {
    let matches = 0;
    for (const _ of walkMatches(db, asked)) {
      matches += 1;
      if (matches > TEXTS_COUNTED_MAX) break;
    }
    return { matches: Math.min(matches, TEXTS_COUNTED_MAX), isCapped: matches > TEXTS_COUNTED_MAX };
  }
  const isTested = tests.conditions !== "";
  const sql = isTested
    ? `${matchesSql(asked, "1")} LIMIT @most`
    : `SELECT 1 FROM post_search s
       WHERE ${WITHIN_DEADLINE} AND s.post_search MATCH @match
         AND s.rowid >= @low AND s.rowid < @high ORDER BY s.rowid DESC LIMIT @most`;
  const counted = statement<{ n: number }>(db, `SELECT count(*) AS n FROM (${sql})`).get({
    ...{ match, low, high, most: COUNTED_MAX + 1 },
    ...tests.values,
  });
  const matches = counted?.n ?? 0;
  return { matches: Math.min(matches, COUNTED_MAX), isCapped: matches > COUNTED_MAX };
}
