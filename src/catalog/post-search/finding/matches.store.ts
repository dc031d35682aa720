import { type Database, statement } from "../../../db/database.ts";
import { timeLimit, WITHIN_DEADLINE } from "../../../db/deadline.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import { facet } from "../../channels/search-text.ts";
import { selectTexts } from "../../posts/posts.store.ts";
import { dictionaryFault } from "../dictionary/lemmas.ts";
import { dayOfRow, dayRow, isLevel, nextDayRow } from "../index-text.ts";
import { isOutdated, type Part, selectParts, tableOf } from "../parts.store.ts";
import { countBeginnings, type PostQuery } from "../post-query.ts";
import type { PostFilter, PostSearchSelection } from "../post-search.ts";
import { beginningStems } from "../vocabulary.store.ts";
import {
  ANY_STEMS,
  anyPostExpression,
  doubtfulExpression,
  filterExpression,
  type MatchExpressions,
  matchExpressions,
} from "./match-expression.ts";
import { createTextTest } from "./match-tokens.ts";

export const COUNTED_MAX = 10_000;
/**
 * Texts to test for counting, 10 us each, of posts that may match and do not for certain: the first ones in any
 * case, more while there is time.
 */
const TEXTS_COUNTED = { least: 2_000, most: 20_000, timeMs: 30 };
/**
 * Posts of the filters alone, so few that their texts decide about beginnings. FTS5 would begin to read up to a hundred
 * lists in every month: for a channel of fifty posts, 400 ms with five million posts.
 */
const FEW_POSTS = 1_000;
/** Texts to read with one statement. */
const TEXTS_READ = 100;
/** Limit for changed channels whose posts filters include; posts of others are found a little later. */
const STALE_MAX = 50;

/** A match, or a candidate whose text is still to be tested, as the index returns it. */
export interface Match {
  row: number;
  id: number;
  published_at: number;
  views: number;
  words: number;
}

/** A query for the FTS5 index, and further tests of its results. */
export interface IndexQuery extends MatchExpressions {
  /** The parts that are searched, newest first. */
  parts: readonly Part[];
  /** Range of rows, the upper bound exclusive. */
  low: number;
  high: number;
  /** SQL: joins and conditions that test a match's channel and views. */
  tests: { joins: string; conditions: string; values: Record<string, string | number> };
  /** Null if the index decides alone. */
  texts: TextTest | null;
  /** Whether a filter may miss posts of channels that have changed, of which there are more than `STALE_MAX`. */
  isBehind: boolean;
}

/** Tests candidates' texts, each of which is read once, even if the post is both counted and shown. */
interface TextTest {
  has(id: number): boolean;
  /** Tests some at once, in less time. */
  readAhead(ids: readonly number[]): void;
}

/** Greater than every row, time and number of views. */
export const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export function indexQueryOf(
  db: Database,
  { query, filter }: Pick<PostSearchSelection, "query" | "filter">,
): IndexQuery {
  const changed = statement(
    db,
    "SELECT channel_id FROM post_search_stale ORDER BY channel_id LIMIT ?",
  )
    .pluck<number>()
    .all(STALE_MAX + 1);
  const stale = changed.slice(0, STALE_MAX);
  const range = {
    parts: selectParts(db).filter(({ state }) => state === "read"),
    low: filter.fromMs === null ? -UNBOUNDED : dayRow(dayOf(filter.fromMs)),
    high: filter.untilMs === null ? UNBOUNDED : dayRow(dayOf(filter.untilMs)),
  };
  const beginnings = countBeginnings(query);
  const filtered = beginnings === 0 ? null : filterExpression(filter, stale);
  const areFew =
    filtered !== null && countRows(db, { ...range, match: filtered }, FEW_POSTS + 1) <= FEW_POSTS;
  const expressions = matchExpressions(query, filter, stale, (beginning) =>
    areFew ? ANY_STEMS : beginningStems(db, beginning, beginnings),
  );
  return {
    ...expressions,
    ...range,
    tests: testsOf(filter, stale.length > 0),
    texts: expressions.certain === null ? null : textTest(db, expressions.undecided),
    isBehind:
      changed.length > STALE_MAX && (filter.categoryId !== null || filter.territoryId !== null),
  };
}

function textTest(db: Database, query: PostQuery): TextTest {
  const matches = createTextTest(query);
  const tested = new Map<number, boolean>();
  function readAhead(ids: readonly number[]): void {
    const untested = ids.filter((id) => !tested.has(id));
    for (let at = 0; at < untested.length; at += TEXTS_READ) {
      const some = untested.slice(at, at + TEXTS_READ);
      for (const { id, text } of selectTexts(db, some)) tested.set(id, matches(text));
    }
  }
  return {
    readAhead,
    has(id) {
      readAhead([id]);
      return tested.get(id) ?? false;
    },
  };
}

/**
 * Tests beside the index, which may contain outdated facets of recently changed channels, and knows only
 * levels of views.
 */
function testsOf(
  { categoryId, territoryId, viewsMin }: PostFilter,
  isStale: boolean,
): IndexQuery["tests"] {
  const tests: IndexQuery["tests"] = { joins: "", conditions: "", values: {} };
  if (viewsMin !== null && !isLevel(viewsMin)) {
    tests.conditions += " AND m.views >= @viewsMin";
    tests.values["viewsMin"] = viewsMin;
  }
  if (!isStale) return tests;
  tests.joins = `CROSS JOIN channels c ON c.id = m.channel_id
    CROSS JOIN channel_texts t ON t.id = m.channel_id`;
  tests.conditions += " AND c.is_public = 1";
  if (categoryId !== null) {
    tests.conditions += " AND instr(t.facets, @category) > 0";
    tests.values["category"] = facet("category", categoryId);
  }
  if (territoryId !== null) {
    tests.conditions += " AND instr(t.facets, @territory) > 0";
    tests.values["territory"] = facet("territory", territoryId);
  }
  return tests;
}

/**
 * SQL: the range of rows. The driver passes numbers beyond 32 bits as floating point, which FTS5 does not
 * use as a bound: it would scan all rows.
 */
export const IN_RANGE = "s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER)";

/** The parts that have rows of the query's range, newest first. */
export const partsIn = ({ parts, low, high }: Pick<IndexQuery, "parts" | "low" | "high">): Part[] =>
  parts.filter(({ first_row, end_row }) => first_row < high && end_row > low);

export const tablesOf = (range: Pick<IndexQuery, "parts" | "low" | "high">): string[] =>
  partsIn(range).map(tableOf);

/** Tells which matches may be missing until the index has been brought up to date; null if none. */
export function incompleteNote(indexQuery: IndexQuery): Message | null {
  if (partsIn(indexQuery).some(isOutdated)) return message("postsRenewing");
  return indexQuery.isBehind ? message("postsBehind") : null;
}

/** Tells that the program's dictionary cannot be read, so that some forms of words are missed; null if it can. */
export const stemsNote = (): Message | null =>
  dictionaryFault() === null ? null : message("postsByStem");

/** Results of the parts, newest part first, until there are enough. */
function fromParts<Row>(
  indexQuery: IndexQuery,
  most: number,
  read: (table: string, most: number) => Row[],
): Row[][] {
  const found: Row[][] = [];
  let left = most;
  for (const table of tablesOf(indexQuery)) {
    if (left <= 0) break;
    const rows = read(table, left);
    found.push(rows);
    left -= rows.length;
  }
  return found;
}

/** SQL: candidates of a part; conditions and an order may be appended. */
function candidatesSql({ tests }: IndexQuery, table: string, columns: string): string {
  return `SELECT ${columns} FROM ${table} s CROSS JOIN searched_posts m ON m.row = s.rowid
      ${tests.joins}
    WHERE ${WITHIN_DEADLINE} AND s.${table} MATCH @match AND ${IN_RANGE}
      ${tests.conditions}`;
}

function valuesOf({ match, low, high, tests }: IndexQuery) {
  return { match, low, high, ...tests.values };
}

const MATCH_COLUMNS = "m.row, m.post_id AS id, m.published_at, m.views, m.words";

/** SQL: matches in the order of rows. */
function matchesSql(indexQuery: IndexQuery, table: string, order: "ASC" | "DESC"): string {
  return `${candidatesSql(indexQuery, table, MATCH_COLUMNS)} ORDER BY s.rowid ${order}`;
}

/** Candidates in the order of rows, one at a time. */
export function* iterateCandidates(
  db: Database,
  indexQuery: IndexQuery,
  isAscending: boolean,
): Generator<Match, void> {
  const tables = tablesOf(indexQuery);
  for (const table of isAscending ? tables.reverse() : tables) {
    const sql = matchesSql(indexQuery, table, isAscending ? "ASC" : "DESC");
    yield* statement<Match>(db, sql).iterate(valuesOf(indexQuery));
  }
}

/** Rows to look up with one statement: for most pages, all of them. */
const LOOKED_UP = 100;

/** Candidates with the given rows, in their order, one at a time. */
export function* lookUp(db: Database, rows: readonly number[]): Generator<Match, void> {
  const find = statement<Match>(
    db,
    `SELECT ${MATCH_COLUMNS} FROM json_each(@rows) r CROSS JOIN searched_posts m ON m.row = r.value
     WHERE ${WITHIN_DEADLINE} ORDER BY r.key`,
  );
  for (let at = 0; at < rows.length; at += LOOKED_UP) {
    yield* find.all({ rows: JSON.stringify(rows.slice(at, at + LOOKED_UP)) });
  }
}

/** Up to `limit` candidates by descending row. */
export function readCandidates(db: Database, indexQuery: IndexQuery, limit: number): Match[] {
  const values = valuesOf(indexQuery);
  return fromParts(indexQuery, limit, (table, most) => {
    const sql = `${matchesSql(indexQuery, table, "DESC")} LIMIT @limit`;
    return statement<Match>(db, sql).all({ ...values, limit: most });
  }).flat();
}

/** A position in the order by descending views; equal views are newest first. */
export type ViewsPosition = readonly [views: number, publishedAt: number, id: number];

const BY_VIEWS = `(m.views, m.published_at, m.post_id) < (@views, @at, @id)
     ORDER BY m.views DESC, m.published_at DESC, m.post_id DESC LIMIT @limit`;

/** The most viewed candidates after a position; equal views are newest first. */
export function readMostViewed(
  db: Database,
  indexQuery: IndexQuery,
  [views, at, id]: ViewsPosition,
  limit: number,
): Match[] {
  const values = { ...valuesOf(indexQuery), views, at, id, limit };
  const ofParts = tablesOf(indexQuery).flatMap((table) => {
    const sql = `${candidatesSql(indexQuery, table, MATCH_COLUMNS)} AND ${BY_VIEWS}`;
    return statement<Match>(db, sql).all(values);
  });
  // Parts are newest first, and sorting is stable.
  return ofParts.sort((one, other) => other.views - one.views).slice(0, limit);
}

/** The same as `readMostViewed`, among the candidates with the given rows. */
export function mostViewedOf(
  db: Database,
  rows: readonly number[],
  [views, at, id]: ViewsPosition,
  limit: number,
): Match[] {
  return statement<Match>(
    db,
    `SELECT ${MATCH_COLUMNS} FROM json_each(@rows) r CROSS JOIN searched_posts m ON m.row = r.value
     WHERE ${WITHIN_DEADLINE} AND ${BY_VIEWS}`,
  ).all({ rows: JSON.stringify(rows), views, at, id, limit });
}

export interface Counted {
  matches: number;
  /** Whether there may be more. */
  isCapped: boolean;
  /** How many texts were tested, the newest, if others that may match were left; otherwise null. */
  tested: number | null;
  /** Rows of all matches, ascending; null if there may be more. */
  rows: number[] | null;
  /** The matches that texts told, newest first; null if no texts were tested. */
  found: Match[] | null;
}

/** The matches that need no test. */
export const ofCertain = (indexQuery: IndexQuery): IndexQuery => ({
  ...indexQuery,
  match: indexQuery.certain ?? indexQuery.match,
});

/** The candidates whose texts must be tested. */
export const ofDoubtful = (indexQuery: IndexQuery): IndexQuery => ({
  ...indexQuery,
  match: doubtfulExpression(indexQuery),
});

/** Counts the certain matches, and the newest of the other candidates whose text matches. */
export function countMatches(db: Database, indexQuery: IndexQuery): Counted {
  const certain = readRows(db, ofCertain(indexQuery), COUNTED_MAX + 1);
  const isTested = indexQuery.texts !== null && certain.length <= COUNTED_MAX;
  const { found, tested } = isTested
    ? testTexts(db, indexQuery, COUNTED_MAX + 1 - certain.length)
    : { found: null, tested: null };
  const matches = certain.length + (found?.length ?? 0);
  const isCapped = matches > COUNTED_MAX || tested !== null;
  return {
    matches: Math.min(matches, COUNTED_MAX),
    isCapped,
    tested,
    rows: isCapped ? null : merged(certain, found ?? []),
    found,
  };
}

function merged(rows: readonly number[], found: readonly Match[]): number[] {
  return rows.concat(found.map(({ row }) => row)).sort((one, other) => one - other);
}

interface TestedTexts extends Pick<Counted, "tested"> {
  found: Match[];
}

/** The newest candidates whose text matches, of those that do not match for certain; `most` or a few more. */
export function testTexts(db: Database, indexQuery: IndexQuery, most: number): TestedTexts {
  const { texts } = indexQuery;
  if (texts === null) return { found: [], tested: null };
  const isOver = timeLimit(db, TEXTS_COUNTED.timeMs);
  const found: Match[] = [];
  let doubtful = ofDoubtful(indexQuery);
  for (let tested = 0; found.length < most; ) {
    if (tested >= TEXTS_COUNTED.least && (tested >= TEXTS_COUNTED.most || isOver())) {
      return { found, tested };
    }
    // The first in one go, since for each FTS5 begins anew.
    const count = tested === 0 ? TEXTS_COUNTED.least : TEXTS_COUNTED.least / 4;
    const candidates = readCandidates(db, doubtful, count);
    texts.readAhead(candidates.map(({ id }) => id));
    found.push(...candidates.filter(({ id }) => texts.has(id)));
    tested += candidates.length;
    if (candidates.length < count) break;
    doubtful = { ...doubtful, high: candidates.at(-1)?.row ?? doubtful.low };
  }
  return { found, tested: null };
}

/** Counts the rows that the index finds, up to a limit; 0.1 us each. */
export function countRows(
  db: Database,
  { match, low, high, parts }: Pick<IndexQuery, "match" | "low" | "high" | "parts">,
  most: number,
): number {
  let count = 0;
  for (const table of tablesOf({ parts, low, high })) {
    if (count >= most) break;
    const counted = statement<{ n: number }>(
      db,
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} s
       WHERE s.${table} MATCH @match AND ${IN_RANGE} LIMIT @most)`,
    ).get({ match, low, high, most: most - count });
    count += counted?.n ?? 0;
  }
  return count;
}

/** Up to `most` rows of candidates, ascending: a third faster for FTS5 than descending. */
export function readRows(db: Database, indexQuery: IndexQuery, most: number): number[] {
  return fromParts(indexQuery, most, (table, left) => rowsOfTable(db, indexQuery, table, left))
    .reverse()
    .flat();
}

/** All rows of a part's candidates, ascending; 0.1 us each. */
export const rowsOfPart = (db: Database, indexQuery: IndexQuery, part: Part): number[] =>
  rowsOfTable(db, indexQuery, tableOf(part), UNBOUNDED);

/** Rows of one in `every` of a part's candidates: from each day, so many slices of its rows. */
export function sliceRows(
  db: Database,
  indexQuery: IndexQuery,
  part: Part,
  { every, slices }: { every: number; slices: number },
): number[] {
  const lastOf = statement(db, "SELECT max(row) FROM searched_posts WHERE row >= ? AND row < ?");
  const lastDay = dayOfRow(Math.min(part.end_row, indexQuery.high) - 1);
  const rows: number[] = [];
  for (let day = dayOfRow(Math.max(part.first_row, indexQuery.low)); day <= lastDay; day += 1) {
    const first = dayRow(day);
    const last = lastOf.pluck<number | null>().get(first, nextDayRow(first)) ?? null;
    if (last === null) continue;
    const length = (last + 1 - first) / (slices * every);
    for (let slice = 0; slice < slices; slice += 1) {
      // Another part of the hours each day.
      const at = first + length * (slice * every + ((7 * day + 3 * slice) % every));
      const range = { low: Math.ceil(at), high: Math.ceil(at + length) };
      rows.push(...rowsOfTable(db, { ...indexQuery, ...range }, tableOf(part), UNBOUNDED));
    }
  }
  return rows;
}

/** Whether every post of the range may match. */
export const isAnyPost = ({ match, tests }: IndexQuery): boolean =>
  match === anyPostExpression() && tests.conditions === "";

/** Rows of all posts of a part, ascending: a third of what FTS5 takes. */
export function rowsOfPosts(db: Database, { low, high }: IndexQuery, part: Part): number[] {
  return statement(db, "SELECT row FROM searched_posts WHERE row >= ? AND row < ? ORDER BY row")
    .pluck<number>()
    .all(Math.max(low, part.first_row), Math.min(high, part.end_row));
}

function rowsOfTable(db: Database, indexQuery: IndexQuery, table: string, most: number): number[] {
  const sql =
    indexQuery.tests.conditions === ""
      ? `SELECT s.rowid FROM ${table} s WHERE s.${table} MATCH @match AND ${IN_RANGE}`
      : candidatesSql(indexQuery, table, "s.rowid");
  return statement(db, `${sql} LIMIT @most`)
    .pluck<number>()
    .all({ ...valuesOf(indexQuery), most });
}
