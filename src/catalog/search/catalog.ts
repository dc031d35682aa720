import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { type JsonText, toJsonText } from "../../values/json-text.ts";
import type { CardView } from "../channels/card.ts";
import type { ChannelKind } from "../channels/channel-kind.ts";
import { selectCards } from "../channels/channels.store.ts";
import { idAt, placeAt, stepAt, stepOf } from "../channels/search-index.ts";
import { facet, foldForSearch, markFacet, trigramsOf } from "../channels/search-text.ts";
import { CANDIDATES_MAX, type MatchPlan, matchPlans } from "./search-terms.ts";

/** Always descending, channels without a value last, ties by ascending id. */
export const CATALOG_ORDERINGS = [
  "-subscribers",
  "-quality",
  "-citation",
  "-last_post_at",
] as const;
export type CatalogOrdering = (typeof CATALOG_ORDERINGS)[number];

export interface CatalogFilter {
  kind: ChannelKind;
  /** Exact, in any case. */
  handle: string | null;
  /** A part of the title or handle, of three or more code points. */
  text: string | null;
  /** Primary or additional. */
  categoryId: number | null;
  /** Of the territory, or of one above it. */
  territoryId: number | null;
  aPlus: boolean | null;
  verified: boolean | null;
  subscribersMin: number | null;
  subscribersMax: number | null;
}

/** Where a page ended: the last channel's value in the ordering, and its id. */
export type CatalogPosition = readonly [value: number | null, id: number];

export interface CatalogSelection {
  filter: CatalogFilter;
  ordering: CatalogOrdering;
  after: CatalogPosition | null;
  limit: number;
}

export interface CatalogPage {
  results: JsonText<CardView[]>;
  /** Null on the last page. */
  last: CatalogPosition | null;
}

/*
 * Limits between the plans, measured on a million channels: with them the slowest of 4,000 searches and
 * filtered pages, of five draws, takes some 13 ms.
 */
/** So few candidates are looked at at once. */
const CANDIDATES_FEW = 300;
/** Of the candidates one in so many is looked at first: a prime, since ids may come in hundreds. */
const SAMPLED = 61;
/** A walk takes as long for so many channels as the look at a candidate. */
const WALKED_PER_LOOK = 8;
/** So many candidates are looked at in the order of the index, then so many times more each time. */
const IN_ORDER_FIRST = 100;
const IN_ORDER_GROWTH = 4;
/** At most so many at a time while there is another expression, which leaves fewer. */
const IN_ORDER_MAX = 400;
/** Where that one costs more; and amid a step, where what is before the page is looked at too. */
const IN_ORDER_LONG_MAX = 1_600;
/** Of the step in which a page ends: all channels may be in one, where nobody counts subscribers. */
const REST_MAX = 1_000;
/** Where so many are expected, a step of the index may have thousands of them, and a walk is short. */
const DENSE = 20_000;
const DENSE_WALK_MAX = 10_000;
/** Channels in a range of subscribers that are tested and sorted. */
const RANGE_MAX = 10_000;
/** Steps of the index that a range of few sizes has. */
const NARROW_MAX = 10;
/** Channels that a walk meets in vain before all candidates are looked at. */
const WALK_MAX = 60_000;
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

interface Found {
  id: number;
  value: number | null;
}

/** A part of the search index: from an id in a step to where another step begins. */
interface Part {
  firstStep: number;
  firstId: number;
  endStep: number;
}

/** What all plans share: SQL conditions on `channels c`, and the values they name. */
interface Query {
  column: "subscribers" | "quality" | "citation" | "last_post_at";
  index: string;
  /** The range of subscribers. */
  range: string;
  isRangeApart: boolean;
  /** Where the search index has what may be on the page. */
  part: Part;
  /** Whether the page may begin amid a step. */
  isAmid: boolean;
  /** Each term stands in the search text, or does not. */
  tests: string;
  /** None where nothing is searched. */
  matches: readonly MatchPlan[];
  after: CatalogPosition | null;
  values: Record<string, string | number | null>;
  limit: number;
}

const INDEXES: Record<CatalogOrdering, Pick<Query, "column" | "index">> = {
  "-subscribers": { column: "subscribers", index: "channels_by_subscribers" },
  "-quality": { column: "quality", index: "channels_by_quality" },
  "-citation": { column: "citation", index: "channels_by_citation" },
  "-last_post_at": { column: "last_post_at", index: "channels_by_last_post" },
};

/** Whether the filter asks for what stands in the search text. */
function isSearch({ text, categoryId, territoryId, aPlus, verified }: CatalogFilter): boolean {
  return [text, categoryId, territoryId, aPlus, verified].some((asked) => asked !== null);
}

/** Whether a page takes no more steps than it has channels, wherever in the list it begins. */
export function isShortWalk(selection: CatalogSelection): boolean {
  return !isSearch(selection.filter) && !isRangeApart(selection);
}

/** Whether a range of subscribers is asked for in another ordering: its walk meets what is out of range. */
function isRangeApart({ filter, ordering }: CatalogSelection): boolean {
  const { subscribersMin: min, subscribersMax: max } = filter;
  return ordering !== "-subscribers" && (min !== null || max !== null);
}

/** A page of the catalog's public channels. */
export function selectCatalog(db: Database, selection: CatalogSelection): CatalogPage {
  // Titles and handles are on one line each, so this could only match across the two.
  if (selection.filter.text?.includes("\n")) {
    return { results: toJsonText<CardView[]>([]), last: null };
  }
  // One more than the page tells whether there is another.
  const query = toQuery(db, selection, selection.limit + 1);
  const found = selection.filter.handle === null ? findByPlan(db, query) : findByHandle(db, query);
  const shown = found.slice(0, selection.limit);
  const last = found.length > selection.limit ? shown.at(-1) : undefined;
  return {
    results: selectCards(
      db,
      shown.map(({ id }) => id),
    ),
    last: last === undefined ? null : [last.value, last.id],
  };
}

function toQuery(db: Database, selection: CatalogSelection, limit: number): Query {
  const { filter, ordering, after } = selection;
  const { subscribersMin: min, subscribersMax: max } = filter;
  const text = filter.text === null ? null : foldForSearch(filter.text);
  const { facets, facetsAbsent } = facetsOf(filter);
  const values: Query["values"] = { kind: filter.kind, handle: filter.handle, min, max };
  const tests: string[] = [];
  const test = (term: string, operator: ">" | "="): void => {
    const name = `term${tests.length}`;
    values[name] = term;
    tests.push(`AND instr(search_text, @${name}) ${operator} 0`);
  };
  if (text !== null) test(text, ">");
  for (const facet of facets) test(facet, ">");
  for (const facet of facetsAbsent) test(facet, "=");
  const terms = [
    ...facets.map((facet) => ({ text: facet, at: null })),
    ...(text === null ? [] : trigramsOf(text)),
  ];
  const isApart = isRangeApart(selection);
  return {
    ...INDEXES[ordering],
    isRangeApart: isApart,
    part: partOf(selection),
    isAmid: after !== null || max !== null,
    range: [
      min === null ? "" : "AND c.subscribers >= @min",
      max === null ? "" : "AND c.subscribers <= @max",
    ].join(" "),
    tests: tests.join(" "),
    matches: matchPlans(db, terms),
    after,
    values: { ...values, afterValue: after?.[0] ?? null, afterId: after?.[1] ?? null },
    limit,
  };
}

function partOf({ filter, ordering, after }: CatalogSelection): Part {
  const last = ordering === "-subscribers" ? after?.[0] : null;
  const most = Math.min(filter.subscribersMax ?? UNBOUNDED, last ?? UNBOUNDED);
  return { firstStep: stepOf(most), firstId: 0, endStep: stepOf(filter.subscribersMin ?? 0) + 1 };
}

/** Facets that a channel of the filter has, and such that it has not. */
function facetsOf(filter: CatalogFilter) {
  const { kind, categoryId, territoryId, aPlus, verified } = filter;
  const facets: string[] = [];
  const facetsAbsent: string[] = [];
  if (categoryId !== null) facets.push(facet("category", categoryId));
  if (territoryId !== null) facets.push(facet("territory", territoryId));
  if (aPlus !== null) (aPlus ? facets : facetsAbsent).push(markFacet("aPlus"));
  if (verified !== null) (verified ? facets : facetsAbsent).push(markFacet("verified"));
  // Nearly all are channels: a facet of theirs would make no search shorter. Alone, the kind is
  // where an ordering's walk begins.
  if (kind === "chat" && isSearch(filter)) facets.push(markFacet("chat"));
  return { facets, facetsAbsent };
}

function findByHandle(db: Database, query: Query): Found[] {
  return all(
    db,
    `SELECT c.id, c.${query.column} AS value
     FROM channel_cards k JOIN channels c ON c.id = k.id
     WHERE k.handle = @handle AND c.is_public = 1 AND c.kind = @kind
       ${query.range} ${query.tests} ${afterCondition(query)}`,
    query,
  );
}

/**
 * By subscribers the search index says where to look. In another ordering it depends on how many
 * channels match which plan is cheap. Few matches: all candidates, sorted. Few channels in the range of
 * subscribers: those, tested and sorted. Else matches are dense enough to walk the ordering until the
 * page is full; where they lie elsewhere in it, all candidates after all.
 */
function findByPlan(db: Database, query: Query): Found[] {
  if (query.column === "subscribers") return findBySubscribers(db, query);
  const [cheap, thorough] = query.matches;
  const found =
    cheap === undefined ? findByRange(db, query) : findBySample(db, query, cheap, thorough);
  return found ?? findByWalk(db, query);
}

/** Until the page is full; where matches lie elsewhere in the ordering, all of them after all. */
function findByWalk(db: Database, query: Query): Found[] {
  const last = query.matches.at(-1);
  if (last === undefined) return walk(db, query, UNBOUNDED) ?? [];
  return walk(db, query, WALK_MAX) ?? findByMatches(db, query, last.match, UNBOUNDED) ?? [];
}

/** Null where a walk is expected to be shorter. */
function findBySample(
  db: Database,
  query: Query,
  cheap: MatchPlan,
  thorough: MatchPlan | undefined,
): Found[] | null {
  // How many of them are in a range of subscribers nobody knows.
  const { candidates } = thorough ?? cheap;
  if (!query.isRangeApart && candidates > CANDIDATES_MAX) return null;
  if (cheap.candidates <= CANDIDATES_FEW) {
    const found = findByMatches(db, query, cheap.match, CANDIDATES_FEW);
    if (found !== null) return found;
  }
  const steps = query.limit * cheap.channels;
  const [sample, ...found] = findOrSample(db, query, { cheap, thorough, steps });
  const { matches = 0, left = 0, isFound } = sample ?? {};
  if (isFound === 1) return found;
  if (thorough !== undefined && thorough.reading + left <= steps / WALKED_PER_LOOK / matches) {
    const found = findByMatches(db, query, thorough.match, CANDIDATES_MAX);
    if (found !== null) return found;
  }
  // Channels of few sizes may all lie far down in the ordering. In a wide range of which so many match,
  // there are too many to be sorted.
  const isWide = !isNarrow(query) && matches > RANGE_MAX / 2;
  return isWide ? null : findByRange(db, query);
}

/** How many candidates there are where more came than are looked at. */
function expectedOf({ terms, candidates }: MatchPlan, query: Query): number {
  // Known of a single term, in the whole index; else a guess, of which there are more than it said.
  if (terms.length === 1 && !query.isRangeApart) return candidates;
  return Math.max(2 * CANDIDATES_MAX, isNarrow(query) ? 0 : candidates);
}

/** Whether only few sizes are in the range of subscribers. */
function isNarrow({ isRangeApart, part }: Query): boolean {
  return isRangeApart && part.endStep - part.firstStep <= NARROW_MAX;
}

/** What a look at some of an expression's candidates tells. */
interface Sample extends Found {
  /** About how many match. */
  matches: number;
  /** About how many satisfy the thorough expression. */
  left: number;
  isFound: 0 | 1;
}

/**
 * Looks at some candidates of the cheap expression (where there are too many, of the first in the index:
 * the biggest channels), since the numbers that come with expressions are guesses, wrong by tens where
 * terms stand together in the same words. Where it is the cheapest way to look at all of them, the page
 * follows.
 * @param plans `steps`: how many channels a walk meets, times how many match
 */
function findOrSample(
  db: Database,
  query: Query,
  plans: { cheap: MatchPlan; thorough: MatchPlan | undefined; steps: number },
): (Found & Partial<Sample>)[] {
  const { cheap, thorough, steps } = plans;
  const terms = (thorough?.terms ?? []).map((term, nth) => [`asked${nth}`, term] as const);
  const isLeft = terms.map(([name]) => `AND instr(search_text, @${name}) > 0`).join(" ");
  // Wherever the page begins: on its way a walk meets as many.
  const isMatch = `c.is_public = 1 AND c.kind = @kind ${query.range} ${query.tests}`;
  // Half a match more than was seen: none among so few does not mean that there is none.
  return all<Found & Partial<Sample>>(
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
      walk: steps / WALKED_PER_LOOK,
      ...query.part,
    },
  );
}

/**
 * The search index has channels nearly in this ordering (search-index.ts), so it is read until the page
 * is full. Amid a step in which many match, a walk of the ordering itself is shorter.
 */
function findBySubscribers(db: Database, query: Query): Found[] {
  const [cheap] = query.matches;
  const last = query.matches.at(-1);
  if (cheap === undefined || last === undefined) return findByWalk(db, query);
  if (query.isAmid && cheap.candidates > DENSE) {
    const found = walk(db, query, DENSE_WALK_MAX);
    if (found !== null) return found;
  }
  const lastMax = query.isAmid ? IN_ORDER_LONG_MAX : UNBOUNDED;
  // What the last expression reads of the index may cost more than to look at what the first leaves.
  const isFirstCheap = cheap.candidates > IN_ORDER_MAX && cheap.candidates < last.reading;
  const firstMax = isFirstCheap ? IN_ORDER_LONG_MAX : IN_ORDER_MAX;
  for (const plan of query.matches) {
    const found = findInOrder(db, query, plan.match, plan === last ? lastMax : firstMax);
    if (found !== null) return found;
  }
  return findByWalk(db, query);
}

/**
 * Looks at candidates in the order of the index, some at first, then more, until the page is full; then
 * at the rest of the step in which it ends. Null where more than `someMax` would have to be looked at at
 * a time, or more than `REST_MAX` are the rest.
 */
function findInOrder(db: Database, query: Query, match: string, someMax: number): Found[] | null {
  const found: Found[] = [];
  let { part } = query;
  for (let some = IN_ORDER_FIRST; some <= someMax; some *= IN_ORDER_GROWTH) {
    const need = query.limit - found.length;
    const { candidates, last, matches } = nextInOrder(db, query, match, part, { some, need });
    found.push(...matches);
    const end = matches[need - 1];
    if (end !== undefined) {
      const step = { firstStep: end.step, firstId: end.id + 1, endStep: end.step + 1 };
      const rest = findByMatches(db, query, match, REST_MAX, step);
      return rest && [...found, ...rest].sort(bySubscribers).slice(0, query.limit);
    }
    if (candidates < some) return found.sort(bySubscribers);
    part = { ...part, firstStep: last.step, firstId: last.id + 1 };
  }
  return null;
}

interface Placed {
  id: number;
  step: number;
}

/** The next `some` candidates, of which the first `need` that match are found. */
function nextInOrder(
  db: Database,
  query: Query,
  match: string,
  part: Part,
  { some, need }: { some: number; need: number },
): { candidates: number; last: Placed; matches: (Found & Placed)[] } {
  // The first row has the last candidate, and as its value how many there are. Candidates are kept in
  // their order, in which the cross join goes through them: an ORDER BY would look at all.
  const [first, ...matches] = all<Found & Placed>(
    db,
    `WITH
       candidates AS MATERIALIZED (
         SELECT rowid AS place FROM channel_search
         WHERE ${guard(some)} AND ${IN_INDEX} ORDER BY rowid LIMIT @some),
       ends (n, last) AS MATERIALIZED (SELECT count(*), max(place) FROM candidates)
     SELECT ${idAt("last")} AS id, n AS value, ${stepAt("last")} AS step FROM ends
     UNION ALL SELECT * FROM (
       SELECT c.id, c.subscribers, ${stepAt("m.place")}
       FROM candidates m CROSS JOIN channels c ON c.id = ${idAt("m.place")}
       WHERE ${guard(some)} AND c.is_public = 1 AND c.kind = @kind
         ${query.range} ${afterCondition(query)} ${query.tests}
       LIMIT @need)`,
    query,
    { match, some, need, ...part },
  );
  const { id = 0, step = 0, value = 0 } = first ?? {};
  return { candidates: value ?? 0, last: { id, step }, matches };
}

function bySubscribers(one: Found, other: Found): number {
  return (other.value ?? 0) - (one.value ?? 0) || one.id - other.id;
}

/** SQL: what a part of the index has of an expression. */
const IN_INDEX = `channel_search MATCH @match
  AND rowid >= ${placeAt("@firstStep", "@firstId")} AND rowid < ${placeAt("@endStep")}`;

/** Null where there are more than `most` candidates; they are counted in the same scan. */
function findByMatches(
  db: Database,
  query: Query,
  match: string,
  most: number,
  part = query.part,
): Found[] | null {
  const [candidates, ...found] = all(
    db,
    `WITH
       matches AS MATERIALIZED (
         SELECT ${idAt("rowid")} AS id FROM channel_search
         WHERE ${guard(most)} AND ${IN_INDEX} LIMIT @most + 1),
       counted (n) AS MATERIALIZED (SELECT count(*) FROM matches)
     SELECT n AS id, NULL AS value FROM counted
     UNION ALL SELECT * FROM (
       SELECT c.id, c.${query.column} AS value FROM matches m CROSS JOIN channels c ON c.id = m.id
       WHERE ${guard(most)} AND (SELECT n FROM counted) <= @most
         AND c.is_public = 1 AND c.kind = @kind
         ${query.range} ${afterCondition(query)} ${query.tests}
       ORDER BY c.${query.column} DESC, c.id LIMIT @limit)`,
    query,
    { match, most, ...part },
  );
  return candidates !== undefined && candidates.id <= most ? found : null;
}

/** Null where more channels than `RANGE_MAX` lie in the range of subscribers, or there is none. */
function findByRange(db: Database, query: Query): Found[] | null {
  if (!query.isRangeApart) return null;
  const inRange = `channels c INDEXED BY channels_by_subscribers
     WHERE c.is_public = 1 AND c.kind = @kind ${query.range}`;
  const limited = `SELECT 1 FROM ${inRange} LIMIT @most + 1`;
  if (count(db, limited, query, { most: RANGE_MAX }) > RANGE_MAX) return null;
  // The index has all that is tested and sorted, so no row is read.
  return all(
    db,
    `SELECT c.id, c.${query.column} AS value FROM ${inRange} ${afterCondition(query)} ${query.tests}
     ORDER BY c.${query.column} DESC, c.id LIMIT @limit`,
    query,
  );
}

/**
 * Walks the ordering's index from the position on, segment by segment: channels with the
 * position's own value, those below it, those without a value. So every page costs what the first
 * costs, however many channels share a value. Null where the page is not full after `most` channels.
 */
function walk(db: Database, query: Query, most: number): Found[] | null {
  const found: Found[] = [];
  let left = most;
  for (const { where, order } of segments(query)) {
    const segment = `SELECT c.id, c.${query.column} AS value, c.search_text
      FROM channels c INDEXED BY ${query.index}
      WHERE ${guard(most)} AND c.is_public = 1 AND c.kind = @kind ${query.range} ${where}`;
    // The subquery is a coroutine: its order is kept, and it stops when the page is full.
    const page = all(
      db,
      `SELECT id, value FROM (${segment} ${order} LIMIT @left)
       WHERE 1 ${query.tests} LIMIT @need`,
      query,
      { left, need: query.limit - found.length },
    );
    found.push(...page);
    if (found.length >= query.limit) return found;
    if (most === UNBOUNDED) continue;
    left -= count(db, `${segment} LIMIT @left`, query, { left });
    if (left <= 0) return null;
  }
  return found;
}

interface Segment {
  where: string;
  order: string;
}

function segments({ column, after }: Query): Segment[] {
  const bySubscribers = column === "subscribers";
  const valued = {
    where: `AND c.${column} IS NOT NULL`,
    order: `ORDER BY c.${column} DESC, c.id`,
  };
  const valueless = { where: `AND c.${column} IS NULL`, order: "ORDER BY c.id" };
  if (after === null) return bySubscribers ? [valued] : [valued, valueless];
  if (after[0] === null) {
    return [{ ...valueless, where: `${valueless.where} AND c.id > @afterId` }];
  }
  const tied = {
    where: `AND c.${column} = @afterValue AND c.id > @afterId`,
    order: "ORDER BY c.id",
  };
  const below = { ...valued, where: `${valued.where} AND c.${column} < @afterValue` };
  return bySubscribers ? [tied, below] : [tied, below, valueless];
}

/** Only what may look at more than the longest walk has to watch the clock for every row. */
function guard(most: number): string {
  return most > WALK_MAX ? WITHIN_DEADLINE : "1";
}

function afterCondition({ column, after }: Query): string {
  if (after === null) return "";
  if (after[0] === null) return `AND c.${column} IS NULL AND c.id > @afterId`;
  return `AND (c.${column} < @afterValue OR (c.${column} = @afterValue AND c.id > @afterId)
    OR c.${column} IS NULL)`;
}

function count(
  db: Database,
  sql: string,
  query: Query,
  more: Record<string, string | number>,
): number {
  const counting = statement<{ n: number }>(db, `SELECT count(*) AS n FROM (${sql})`);
  return counting.get({ ...query.values, ...more })?.n ?? 0;
}

function all<Row extends Found = Found>(
  db: Database,
  sql: string,
  query: Query,
  more: Record<string, string | number> = {},
): Row[] {
  return statement<Row>(db, sql).all({ ...query.values, limit: query.limit, ...more });
}
