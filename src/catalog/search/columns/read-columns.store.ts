import { type Database, statement } from "../../../db/database.ts";
import { requireTime } from "../../../db/deadline.ts";
import { eachFacet, FACET_MARKS } from "../../channels/search-text.ts";
import { CURRENT_SLOT, publishedRun } from "../../metrics/metrics.store.ts";
import { ORDERED_METRICS, type OrderedMetric } from "../../metrics/metrics.ts";
import type { Columns, Size } from "./columns.ts";
import {
  isSet,
  LISTING,
  MARKS,
  makeColumns,
  OWN_LEAST,
  positionOf,
  SHARED_LEAST,
  STATE,
  UNKNOWN,
  VERSION,
} from "./columns.ts";

/** Channels to read at a time, between two looks at the deadline. */
const CHANNELS_PER_READ = 5_000;

const attached = new WeakMap<Database, Columns>();

/**
 * Columns of a file, which a process shares among its threads. @returns a function for each thread that starts:
 * once the catalog has outgrown them, threads have their own, and those that start share larger ones
 */
export function createSharedColumns(db: Database): () => Columns {
  let columns = makeColumns(sizeOf(db), SHARED_LEAST);
  return () => {
    if (isFull(columns)) columns = makeColumns(sizeOf(db), SHARED_LEAST);
    return columns;
  };
}

/** Makes a connection that only reads use the columns of its process. */
export function useColumns(db: Database, columns: Columns): void {
  attached.set(db, columns);
}

/**
 * Runs work on the columns, which have everything that the connection's transaction sees, and may have later
 * changes. No other thread changes them meanwhile.
 * @param metrics those that the work needs
 * @throws AppError `timeout` if the columns cannot be read in time; the next call goes on with it
 */
export function onColumns<Result>(
  db: Database,
  metrics: readonly OrderedMetric[],
  work: (columns: Columns) => Result,
): Result {
  const known = attached.get(db);
  const columns = known === undefined || isFull(known) ? attachOwn(db) : known;
  try {
    return locked(db, columns, () => {
      // Rows that another's transaction wrote on the one connection may still be rolled back.
      const mayBeUndone = db.isInMemory && db.isInTransaction;
      if (columns.state[STATE.isRead] === 0 || !mayBeUndone) bringUpToDate(db, columns);
      for (const metric of metrics) readMetric(db, columns, metric);
      return work(columns);
    });
  } catch (error) {
    if (!(error instanceof Full)) throw error;
    columns.state[STATE.isFull] = 1;
    return onColumns(db, metrics, work);
  }
}

/** Reads the columns ahead of the first search. */
export function readColumns(db: Database): void {
  onColumns(db, [], () => {});
}

/** About how many channels there are: more than that, if some are gone. */
export function roughCount(db: Database): number {
  return onColumns(db, [], ({ state }) => (state[STATE.end] ?? 0) + (state[STATE.large] ?? 0));
}

/** The catalog has outgrown the columns. */
class Full extends Error {}

function isFull({ state }: Columns): boolean {
  return state[STATE.isFull] === 1;
}

function attachOwn(db: Database): Columns {
  const columns = makeColumns(sizeOf(db), OWN_LEAST);
  attached.set(db, columns);
  return columns;
}

/** Up to it, the highest number of a channel tells how many there are; counting them reads the table. */
const HIGHEST_MAX = 2 ** 21;

function sizeOf(db: Database): Size {
  const sizes = `SELECT (SELECT count(*) FROM categories) AS categories,
      iif(highest > @most, (SELECT count(*) FROM channels), highest) AS channels
    FROM (SELECT ifnull(max(id), 0) AS highest FROM channels)`;
  return statement<Size>(db, sizes).get({ most: HIGHEST_MAX }) ?? { channels: 0, categories: 0 };
}

/** How long to wait for another thread before looking at the deadline. */
const LOCK_LOOK_MS = 50;

function locked<Result>(db: Database, { state }: Columns, work: () => Result): Result {
  while (Atomics.compareExchange(state, STATE.lock, 0, 1) !== 0) {
    Atomics.wait(state, STATE.lock, 1, LOCK_LOOK_MS);
    requireTime(db);
  }
  try {
    return work();
  } finally {
    Atomics.store(state, STATE.lock, 0);
    Atomics.notify(state, STATE.lock, 1);
  }
}

function bringUpToDate(db: Database, columns: Columns): void {
  const { state, versions } = columns;
  const version = channelsVersion(db);
  // An in-memory database counts again from where a transaction was rolled back.
  if (db.isInMemory && version < (versions[VERSION.channels] ?? 0)) state[STATE.isRead] = 0;
  if (state[STATE.isRead] === 0) {
    // Another thread may have begun, whose transaction sees more.
    const isBegun = versions[VERSION.readTo] !== 0;
    const begunAt = isBegun ? (versions[VERSION.channels] ?? 0) : version;
    versions[VERSION.channels] = Math.min(begunAt, version);
    versions[VERSION.metrics] = UNPUBLISHED;
    readAll(db, columns);
    state[STATE.isRead] = 1;
  }
  const known = versions[VERSION.channels] ?? 0;
  if (version <= known) return;
  if (oldestChange(db) > known + 1) {
    state[STATE.isRead] = 0;
    bringUpToDate(db, columns);
    return;
  }
  readChanged(db, columns);
}

/** A number that changes whenever a channel does. */
function channelsVersion(db: Database): number {
  const newest = "SELECT max(version) AS version FROM channel_changes";
  return statement<{ version: number | null }>(db, newest).get()?.version ?? 0;
}

function oldestChange(db: Database): number {
  const oldest = "SELECT min(version) AS version FROM channel_changes";
  return statement<{ version: number | null }>(db, oldest).get()?.version ?? 0;
}

type Numbers = readonly [
  id: number,
  subscribers: number,
  quality: number | null,
  citation: number | null,
  lastPostAt: number | null,
];
/** Facets are null if the channel has no search text, and so is in no search. */
type Row = readonly [...Numbers, isPublic: number, isChat: number, facets: string | null];

const NUMBERS = "c.id, c.subscribers, c.quality, c.citation, c.last_post_at";
const WHOLE = `${NUMBERS}, c.is_public, c.is_chat, t.facets`;
const TEXTS = "LEFT JOIN channel_texts t ON t.id = c.id";

/** Reads all channels, from where an earlier call was interrupted, and removes those that are gone. */
function readAll(db: Database, columns: Columns): void {
  const { capacity, state, versions } = columns;
  const part = statement(
    db,
    `SELECT ${WHOLE} FROM channels c ${TEXTS} WHERE c.id > ? ORDER BY c.id LIMIT ${CHANNELS_PER_READ}`,
  ).raw();
  const removeUpTo = (from: number, to: number): void => {
    const end = Math.min(to, state[STATE.end] ?? 0);
    for (let position = from; position < end; position++) remove(columns, position);
  };
  for (;;) {
    const readTo = versions[VERSION.readTo] ?? 0;
    const rows = part.all(readTo) as unknown as Row[];
    let next = readTo + 1;
    for (const row of rows) {
      removeUpTo(next, row[0]);
      next = row[0] + 1;
      put(columns, row);
    }
    if (rows.length < CHANNELS_PER_READ) {
      removeUpTo(next, capacity);
      break;
    }
    versions[VERSION.readTo] = next - 1;
    requireTime(db);
  }
  // The rows of a million channels are 300 MB, which the engine would keep until it needs them.
  if (versions[VERSION.readTo] !== 0) Bun.gc(true);
  const large = statement(db, "SELECT id FROM channels WHERE id >= ?").pluck<number>();
  const stored = new Set(large.all(capacity));
  for (let at = 0; at < (state[STATE.large] ?? 0); at++) {
    if (!stored.has(columns.largeIds[at] ?? 0)) remove(columns, capacity + at);
  }
  versions[VERSION.readTo] = 0;
}

/** Kinds of changes in `channel_changes`, as far as they reach. */
const CHANGES = { numbers: 0, whole: 1, deleted: 2 } as const;

interface Change {
  version: number;
  id: number;
  what: number;
}

/** Reads the channels that changed, in the order of their changes; each part is stored at once. */
function readChanged(db: Database, columns: Columns): void {
  const part = statement<Change>(
    db,
    `SELECT version, channel_id AS id, what FROM channel_changes WHERE version > ?
     ORDER BY version LIMIT ${CHANNELS_PER_READ}`,
  );
  const given = "json_each(?) given CROSS JOIN channels c ON c.id = given.value";
  const numbers = statement(db, `SELECT ${NUMBERS} FROM ${given}`).raw();
  const whole = statement(db, `SELECT ${WHOLE} FROM ${given} ${TEXTS}`).raw();
  for (;;) {
    const changes = part.all(columns.versions[VERSION.channels] ?? 0);
    const ids = new Set(changes.map(({ id }) => id));
    const changed = new Set(
      changes.flatMap(({ id, what }) => (what === CHANGES.numbers ? [] : id)),
    );
    for (const { id, what } of changes) {
      // Another channel may have got its number since.
      if (what === CHANGES.deleted) remove(columns, positionOf(columns, id));
    }
    for (const row of numbers.all(JSON.stringify([...ids.difference(changed)]))) {
      putNumbers(columns, row as unknown as Numbers);
    }
    for (const row of whole.all(JSON.stringify([...changed]))) {
      put(columns, row as unknown as Row);
    }
    const last = changes.at(-1);
    if (last !== undefined) columns.versions[VERSION.channels] = last.version;
    if (changes.length < CHANNELS_PER_READ) return;
    requireTime(db);
  }
}

/** Stores a channel, at its own position or at a new one. */
function put(columns: Columns, row: Row): void {
  const [id, , , , , isPublic, isChat, facets] = row;
  const { capacity, marks, state, territory } = columns;
  const position = positionOf(columns, id) ?? addLarge(columns, id);
  if (position < capacity && position >= (state[STATE.end] ?? 0)) state[STATE.end] = position + 1;
  hide(columns, position);
  if (isPublic === 0 || facets === null) return;
  let ofChannel = MARKS.isPublic + (isChat === 1 ? MARKS.isChat : 0);
  // First, so that `hide` clears the categories if there is no room for one of them.
  marks[position] = ofChannel;
  eachFacet(facets, (kind, facetId) => {
    // A territory's own facet follows those of all that contain it.
    if (kind === "territory") territory[position] = facetId;
    else if (kind === "category") addCategory(columns, position, facetId);
    else if (facetId === FACET_MARKS.aPlus) ofChannel |= MARKS.aPlus;
    else if (facetId === FACET_MARKS.verified) ofChannel |= MARKS.verified;
  });
  marks[position] = ofChannel;
  putNumbers(columns, row);
}

function putNumbers(columns: Columns, row: Numbers | Row): void {
  const [id, subscribers, quality, citation, lastPostAt] = row;
  const position = positionOf(columns, id);
  if (position === undefined) return;
  const { numbers } = columns;
  numbers.subscribers[position] = subscribers;
  numbers.quality[position] = quality ?? UNKNOWN;
  numbers.citation[position] = citation ?? UNKNOWN;
  numbers.last_post_at[position] = lastPostAt ?? UNKNOWN;
}

function hide(columns: Columns, position: number): void {
  const { marks, state, territory } = columns;
  if (marks[position] === 0) return;
  marks[position] = 0;
  territory[position] = 0;
  for (let at = 0; at < (state[STATE.categories] ?? 0); at++) {
    if (isSet(columns.categories[at] as Int32Array, position)) flip(columns, at, position);
  }
}

/** Changes a channel's bit in a category's bitmap. */
function flip({ categories, categoryChanges }: Columns, at: number, position: number): void {
  const bitmap = categories[at] as Int32Array;
  const word = position >>> 5;
  bitmap[word] = (bitmap[word] as number) ^ (1 << (position & 31));
  categoryChanges[at] = (categoryChanges[at] as number) + 1;
}

/** Removes a channel whose number another may get. */
function remove(columns: Columns, position: number | undefined): void {
  if (position === undefined) return;
  hide(columns, position);
  columns.listing[position] = 0;
}

/** Adds a channel whose number is no position. */
function addLarge({ capacity, largeIds, state }: Columns, id: number): number {
  const at = state[STATE.large] ?? 0;
  if (at === capacity) throw new Full();
  largeIds[at] = id;
  state[STATE.large] = at + 1;
  return capacity + at;
}

/** Sets a channel's bit in the bitmap of a category, which gets one if it has none. */
function addCategory(columns: Columns, position: number, id: number): void {
  const { categories, categoryIds, state } = columns;
  let at = categoryIds.indexOf(id);
  if (at < 0) {
    at = state[STATE.categories] ?? 0;
    if (at === categories.length) throw new Full();
    categoryIds[at] = id;
    state[STATE.categories] = at + 1;
  }
  if (!isSet(categories[at] as Int32Array, position)) flip(columns, at, position);
}

/** No run has this number, so that metrics are read again. */
const UNPUBLISHED = -1;

type MetricRow = readonly [id: number, listing: number, value: number | null];

const LISTING_BITS = `${LISTING.isKnown} + ${LISTING.isChat} * is_chat + ${LISTING.isFresh} * is_fresh
  + ${LISTING.isSmall} * is_small`;

/** Reads a metric, unless it is known as of the last run; from where an earlier call was interrupted. */
function readMetric(db: Database, columns: Columns, metric: OrderedMetric): void {
  const { numbers, listing, state, versions } = columns;
  const run = publishedRun(db);
  if (run !== versions[VERSION.metrics]) {
    versions[VERSION.metrics] = run;
    Object.assign(state, { [STATE.metrics]: 0, [STATE.metric]: 0 });
    listing.fill(0);
  }
  const number = 1 + ORDERED_METRICS.indexOf(metric);
  const bit = 1 << number;
  if (((state[STATE.metrics] ?? 0) & bit) !== 0) return;
  const values = numbers[metric];
  if (state[STATE.metric] !== number) {
    state[STATE.metric] = number;
    versions[VERSION.metricTo] = 0;
    values.fill(UNKNOWN);
  }
  const sql = `SELECT id, ${LISTING_BITS}, ${metric} FROM channel_metrics
    WHERE slot = ${CURRENT_SLOT} AND id > ? ORDER BY id LIMIT ${CHANNELS_PER_READ}`;
  const part = statement(db, sql).raw();
  for (;;) {
    const rows = part.all(versions[VERSION.metricTo] ?? 0) as unknown as MetricRow[];
    for (const [id, listed, value] of rows) {
      const position = positionOf(columns, id);
      if (position === undefined) continue;
      listing[position] = listed;
      values[position] = value ?? UNKNOWN;
    }
    versions[VERSION.metricTo] = rows.at(-1)?.[0] ?? 0;
    if (rows.length < CHANNELS_PER_READ) break;
    requireTime(db);
  }
  state[STATE.metric] = 0;
  // A transaction that began before a channel was removed sees metrics that its number must not keep.
  const isOlder = channelsVersion(db) < (versions[VERSION.channels] ?? 0);
  if (isOlder) versions[VERSION.metrics] = UNPUBLISHED;
  else state[STATE.metrics] = (state[STATE.metrics] ?? 0) | bit;
}
