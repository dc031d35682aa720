import { type Database, statement } from "../../db/database.ts";
import { requireTime } from "../../db/deadline.ts";
import { type SearchedText, searchedText } from "../channels/search-text.ts";
import type { OrderedMetric } from "../metrics/metrics.ts";
import { FILTERED_METRICS, isPercent, ORDERED_METRICS } from "../metrics/metrics.ts";
import type { CatalogFilter, CatalogOrdering, CatalogSelection } from "./catalog.ts";
import type { Columns, NumberColumn } from "./columns/columns.ts";
import { idAt, LISTING, MARKS, positionOf, UNKNOWN } from "./columns/columns.ts";
import { onColumns, roughCount } from "./columns/read-columns.store.ts";
import type { Among, Bits, Place, Range, Tests } from "./columns/scan.ts";
import { boundsOf, eachMatch, firstOf } from "./columns/scan.ts";
import { COUNTED_MIN, type Expression, expressionOf } from "./search-terms.ts";

export interface Found {
  id: number;
  /** Null if the channel has no value in the ordering. */
  value: number | null;
}

/** One of the ways of finding a page that were tried: the last one found it. */
export interface Step {
  way: "columns" | "ordering" | "index";
  /** Texts that were read for it. */
  texts: number;
}

/** A selection in terms of the columns. */
interface Query {
  tests: Tests;
  metrics: readonly OrderedMetric[];
  /** Numbers of the channels to look at, such as that of a handle; null for all. */
  ids: readonly number[] | null;
}

/**
 * The channels of a page and, if there are more, the next one. Filters and the ordering are columns in memory.
 * Texts are in the file: one that many channels have is looked for in the ordering, until the page is full; any
 * other is looked up in the search index.
 * @param note called for each way that was tried
 */
export function findChannels(
  db: Database,
  { filter, ordering, after, limit }: CatalogSelection,
  note: (step: Step) => void = () => {},
): Found[] {
  const query = queryOf(db, filter, ordering);
  const text = textOf(filter);
  const start = after && { id: after[1], value: after[0] ?? UNKNOWN };
  const wanted = limit + 1;
  if (text === null) {
    note({ way: "columns", texts: 0 });
    return firstPlaces(db, query, start, wanted).map(toFound);
  }
  const look = (way: Step["way"], ids: Query["ids"], sizes: readonly number[]) => {
    const found = placesWith(db, text, { ...query, ids }, { start, wanted, sizes });
    note({ way, texts: found.texts });
    return found;
  };
  const expression = expressionFor(db, text, { wanted, apart: APART });
  const expected = query.ids === null ? textsExpected(db, expression, wanted) : null;
  const inOrder =
    expected === null ? null : look("ordering", null, [Math.ceil(1.5 * expected), expected]);
  if (inOrder?.isWhole) return inOrder.places.map(toFound);
  const ids = query.ids ?? idsWith(db, expression);
  if (ids === null) return look("index", null, [roughCount(db)]).places.map(toFound);
  const found = look("index", ids, [2 * wanted, 10 * wanted]);
  if (found.isWhole) return found.places.map(toFound);
  // Where few of them have the text, further terms may save more texts than they cost.
  const fuller = expressionFor(db, text, { wanted, apart: 1 });
  const texts = Math.min(ids.length, (found.texts * wanted) / found.places.length);
  const isWorth =
    query.ids === null &&
    fuller.match !== expression.match &&
    TEXT_COST * (texts - found.texts) > fuller.entries;
  const fewer = (isWorth ? idsWith(db, fuller) : null) ?? ids;
  return look("index", fewer, [50 * wanted, fewer.length]).places.map(toFound);
}

/** Calls back with the positions of all channels that a filter selects, some at a time. */
export function eachMatching(
  db: Database,
  filter: CatalogFilter,
  visit: (columns: Columns, positions: Int32Array) => void,
): void {
  const query = queryOf(db, filter, "-subscribers");
  const { tests, metrics } = query;
  const text = textOf(filter);
  const ids = text === null ? query.ids : allHaving(db, text, query);
  onColumns(db, metrics, (columns) =>
    eachMatch(columns, tests, positionsOf(columns, ids), (positions) => visit(columns, positions)),
  );
}

/** Stands for a page of all channels. */
const ALL = Number.MAX_SAFE_INTEGER;

function allHaving(db: Database, text: SearchedText, query: Query): number[] {
  const ids = selected(db, {
    ...query,
    ids: idsWith(db, expressionFor(db, text, { wanted: ALL, apart: 1 })),
  });
  const having: number[] = [];
  for (let at = 0; at < ids.length; at += TEXTS_PER_READ) {
    having.push(...idsHaving(db, text, ids.slice(at, at + TEXTS_PER_READ), TEXTS_PER_READ));
    requireTime(db);
  }
  return having;
}

/** Those of some channels that a filter selects, whatever its text. */
export function selectedOf(db: Database, filter: CatalogFilter, ids: readonly number[]): number[] {
  return selected(db, { ...queryOf(db, filter, "-subscribers"), ids });
}

function selected(db: Database, { tests, metrics, ids }: Query): number[] {
  const found: number[] = [];
  onColumns(db, metrics, (columns) =>
    eachMatch(columns, tests, positionsOf(columns, ids), (positions) => {
      for (const position of positions) found.push(idAt(columns, position));
    }),
  );
  return found;
}

function queryOf(db: Database, filter: CatalogFilter, ordering: CatalogOrdering): Query {
  const { kind, channelId, categoryId, territoryId, metricsMin } = filter;
  const order = ordering.slice(1) as NumberColumn;
  const ofMetric = isMetric(order) ? order : null;
  const filtered = FILTERED_METRICS.filter((name) => metricsMin[name] !== undefined);
  const metrics = [...new Set([...filtered, ...(ofMetric === null ? [] : [ofMetric])])];
  const isChat = kind === "chat";
  return {
    tests: {
      order,
      marks: bits(MARKS, {
        isPublic: true,
        isChat,
        aPlus: filter.aPlus,
        verified: filter.verified,
      }),
      // Channels without fresh metrics are in no list ordered by one, small ones not in those by percentage.
      listing: bits(LISTING, {
        isKnown: metrics.length > 0 ? true : null,
        isChat: metrics.length > 0 ? isChat : null,
        isFresh: ofMetric === null ? null : true,
        isSmall: ofMetric !== null && isPercent(ofMetric) ? false : null,
      }),
      categoryId,
      territories: territoryId === null ? null : territoriesWithin(db, territoryId),
      ranges: [
        ...rangeOf("subscribers", filter.subscribersMin, filter.subscribersMax),
        ...filtered.flatMap((name) => rangeOf(name, metricsMin[name] ?? null, null)),
      ],
    },
    metrics,
    ids: channelId === null ? null : [channelId],
  };
}

function textOf({ text }: CatalogFilter): SearchedText | null {
  return text === null ? null : searchedText(text);
}

function isMetric(column: NumberColumn): column is OrderedMetric {
  return (ORDERED_METRICS as readonly string[]).includes(column);
}

/** @param wanted what each bit must be; null if it may be either */
function bits<Name extends string>(
  places: Readonly<Record<Name, number>>,
  wanted: Readonly<Record<Name, boolean | null>>,
): Bits {
  let mask = 0;
  let value = 0;
  for (const name of Object.keys(wanted) as Name[]) {
    if (wanted[name] !== null) mask |= places[name];
    if (wanted[name] === true) value |= places[name];
  }
  return { mask, value };
}

function rangeOf(column: NumberColumn, min: number | null, max: number | null): readonly Range[] {
  if (min === null && max === null) return [];
  // Channels without a value lie in no range.
  return [{ column, bounds: boundsOf(min ?? -Number.MAX_VALUE, max) }];
}

/** A territory and all within it, as a table by number. */
function territoriesWithin(db: Database, territoryId: number): Uint8Array {
  const sql = `SELECT @id UNION ALL
    SELECT within.id FROM territories t CROSS JOIN territories within
      ON within.path > t.path || '/' AND within.path < t.path || '0'
    WHERE t.id = @id`;
  const ids = statement(db, sql).pluck<number>().all({ id: territoryId });
  const highest = ids.reduce((most, id) => Math.max(most, id), 0);
  const table = new Uint8Array(highest + 1);
  for (const id of ids) table[id] = 1;
  return table;
}

/** Positions that are gone through now. Work on columns has no pauses, so that nothing else uses them meanwhile. */
let positions = new Int32Array(0);

function positionsOf(columns: Columns, ids: Query["ids"]): Among {
  if (ids === null) return null;
  if (positions.length < ids.length) positions = new Int32Array(ids.length);
  let count = 0;
  for (const id of ids) {
    const position = positionOf(columns, id);
    if (position !== undefined) positions[count++] = position;
  }
  return positions.subarray(0, count);
}

function firstPlaces(
  db: Database,
  { tests, metrics, ids }: Query,
  after: Place | null,
  limit: number,
): Place[] {
  return onColumns(db, metrics, (columns) =>
    firstOf(columns, { tests, among: positionsOf(columns, ids), after, limit }),
  );
}

function toFound({ id, value }: Place): Found {
  return { id, value: value === UNKNOWN ? null : value };
}

/** Reading a text, somewhere in the file, takes as long as so many entries of the search index. */
const TEXT_COST = 80;
/** The same for a channel that the index names, which is then sorted. */
const FOUND_COST = 4;

/**
 * Trigrams of one word that begin less than this apart share characters, and so are mostly found in the same
 * channels.
 */
const APART = 3;

/**
 * The expression for a page. A further term costs its entries, and saves texts: without it, so many more are
 * read as channels lack it. So one that many have is left to the texts.
 */
function expressionFor(
  db: Database,
  { pieces }: SearchedText,
  { wanted, apart }: { wanted: number; apart: number },
): Expression {
  const all = roughCount(db);
  return expressionOf(db, pieces, { most: Math.sqrt(TEXT_COST * wanted * all), apart, all });
}

/**
 * How many texts are read in the ordering until a page is full, if the text is as frequent among the channels that
 * pass the tests as among all. Null unless that takes half the time of looking it up in the index: it may be less
 * frequent among them.
 */
function textsExpected(db: Database, { channels, entries }: Expression, wanted: number) {
  const texts = Math.ceil((wanted * roughCount(db)) / Math.max(1, channels));
  const lookUp = entries + FOUND_COST * channels;
  return entries > COUNTED_MIN && 2 * TEXT_COST * texts < lookUp ? texts : null;
}

/** Texts to read at a time, between two looks at the deadline. */
const TEXTS_PER_READ = 5_000;

interface FoundPlaces {
  places: Place[];
  /** Texts that were read. */
  texts: number;
  /** Whether these are all that the page can have, or as many as are wanted. */
  isWhole: boolean;
}

/**
 * The places of channels that have the text, in order.
 * @param page how many channels are gone through at first, and then, until the page is full
 */
function placesWith(
  db: Database,
  text: SearchedText,
  query: Query,
  page: { start: Place | null; wanted: number; sizes: readonly number[] },
): FoundPlaces {
  // By number: a channel that moves down between two readings would be found again.
  const places = new Map<number, Place>();
  let after = page.start;
  let texts = 0;
  let isWhole = false;
  for (const size of page.sizes) {
    const tested = firstPlaces(db, query, after, size);
    for (let at = 0; at < tested.length && places.size < page.wanted; at += TEXTS_PER_READ) {
      if (at > 0) requireTime(db);
      const part = tested.slice(at, at + TEXTS_PER_READ);
      const ids = part.map(({ id }) => id).filter((id) => !places.has(id));
      const having = new Set(idsHaving(db, text, ids, page.wanted - places.size));
      for (const place of part) if (having.has(place.id)) places.set(place.id, place);
      texts += part.length;
    }
    isWhole = places.size >= page.wanted || tested.length < size;
    // In the ordering, a text that turns out to be rarer than expected is looked up instead.
    const isRare = query.ids === null && places.size < page.wanted / 2;
    if (isWhole || isRare) break;
    after = tested.at(-1) ?? null;
  }
  return { places: [...places.values()], texts, isWhole };
}

/** The first of the channels that have the text, in the order in which they are given. */
function idsHaving(
  db: Database,
  { text, words }: SearchedText,
  ids: readonly number[],
  limit: number,
): number[] {
  const isFound = "instr(t.search_text, @text) > 0";
  // The longest word rejects most texts at once.
  const hasWords = "instr(t.search_text, @longest) > 0 AND begins_words(t.search_text, @words)";
  const [longest = null] = (words?.split(" ") ?? []).sort((a, b) => b.length - a.length);
  const sql = `
    SELECT t.id FROM json_each(@ids) given CROSS JOIN channel_texts t ON t.id = given.value
     WHERE ${words === null ? isFound : `${isFound} OR (${hasWords})`} LIMIT @limit`;
  return statement(db, sql)
    .pluck<number>()
    .all({ ids: JSON.stringify(ids), limit, text, ...(words !== null && { words, longest }) });
}

/** Index entries to read at a time, between two looks at the deadline: some milliseconds. */
const ENTRIES_PER_READ = 50_000;

/** Channels that the search index has with an expression; null for all, if the text is too short for the index. */
function idsWith(db: Database, { match }: Expression): number[] | null {
  if (match === "") return null;
  const sql = `SELECT rowid FROM channel_search WHERE channel_search MATCH ? AND rowid > ?
    ORDER BY rowid LIMIT ${ENTRIES_PER_READ}`;
  const part = statement(db, sql).pluck<number>();
  const ids: number[] = [];
  for (;;) {
    const read = part.all(match, ids.at(-1) ?? 0);
    if (read.length < ENTRIES_PER_READ && ids.length === 0) return read;
    for (const id of read) ids.push(id);
    if (read.length < ENTRIES_PER_READ) return ids;
    requireTime(db);
  }
}
