import { type Database, statement } from "../../../db/database.ts";
import { requireTime } from "../../../db/deadline.ts";
import { eachFacet, FACET_MARKS } from "../../channels/search-text.ts";
import { CURRENT_SLOT, publishedRun } from "../../metrics/metrics.store.ts";
import { ORDERED_METRICS, type OrderedMetric } from "../../metrics/metrics.ts";
import {
  type Columns,
  columnsIn,
  LISTING,
  MARKS,
  ownMemory,
  type Size,
  STATE,
  sharedMemory,
  UNKNOWN,
  VERSION,
} from "./columns.ts";

/** Channels to read at a time, between two looks at the deadline. */
const CHANNELS_PER_READ = 5_000;

const attached = new WeakMap<Database, Columns>();

/** Memory for the columns of a file, which a process shares among its threads. */
export function catalogMemory(db: Database): SharedArrayBuffer {
  return sharedMemory(sizeOf(db));
}

/** Makes a connection that only reads use the memory of its process. */
export function shareCatalogMemory(db: Database, memory: SharedArrayBuffer): void {
  attached.set(db, columnsIn(memory));
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
  const columns = attached.get(db) ?? attachOwn(db);
  try {
    return locked(db, columns, () => {
      // Rows that another's transaction wrote on the one connection may still be rolled back.
      if (!(db.isInMemory && db.isInTransaction)) bringUpToDate(db, columns);
      for (const metric of metrics) readMetric(db, columns, metric);
      return work(columns);
    });
  } catch (error) {
    if (!(error instanceof Full)) throw error;
    attachOwn(db);
    return onColumns(db, metrics, work);
  }
}

/** About how many channels there are. */
export function channelsMax(db: Database): number {
  return onColumns(db, [], ({ state }) => (state[STATE.end] ?? 0) + (state[STATE.large] ?? 0));
}

/** The catalog has outgrown a memory. */
class Full extends Error {}

function attachOwn(db: Database): Columns {
  const columns = columnsIn(ownMemory(sizeOf(db)));
  attached.set(db, columns);
  return columns;
}

/** Up to it, the highest number of a channel tells how many there are; counting them reads the table. */
const HIGHEST_MAX = 2 ** 22;

function sizeOf(db: Database): Size {
  const sizes = `SELECT (SELECT count(*) FROM categories) AS categories,
    iif((SELECT max(id) FROM channels) > @most, (SELECT count(*) FROM channels),
      ifnull((SELECT max(id) FROM channels), 0)) AS channels`;
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
    state[STATE.metrics] = 0;
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
  readChanged(db, columns, known);
  versions[VERSION.channels] = version;
}

/** A number that changes whenever a channel does. */
export function channelsVersion(db: Database): number {
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
  const large = statement(db, "SELECT id FROM channels WHERE id >= ?").pluck<number>();
  const stored = new Set(large.all(capacity));
  for (let at = 0; at < (state[STATE.large] ?? 0); at++) {
    if (!stored.has(columns.largeIds[at] ?? 0)) remove(columns, capacity + at);
  }
  versions[VERSION.readTo] = 0;
}

/** What changed of a channel, in `channel_changes`. */
const CHANGES = { numbers: 0, all: 1, deleted: 2 } as const;

interface Change {
  id: number;
  most: number;
}

function readChanged(db: Database, columns: Columns, known: number): void {
  const changes = statement<Change>(
    db,
    `SELECT channel_id AS id, max(what) AS most FROM channel_changes WHERE version > ?
     GROUP BY channel_id`,
  ).all(known);
  const given = "json_each(?) given CROSS JOIN channels c ON c.id = given.value";
  const numbers = statement(db, `SELECT ${NUMBERS} FROM ${given}`).raw();
  const whole = statement(db, `SELECT ${WHOLE} FROM ${given} ${TEXTS}`).raw();
  for (let at = 0; at < changes.length; at += CHANNELS_PER_READ) {
    const part = changes.slice(at, at + CHANNELS_PER_READ);
    const ids = (isOf: (most: number) => boolean): string =>
      JSON.stringify(part.flatMap(({ id, most }) => (isOf(most) ? id : [])));
    for (const { id, most } of part) {
      // Another channel may have got its number since.
      if (most === CHANGES.deleted) remove(columns, columns.positionOf(id));
    }
    for (const row of numbers.all(ids((most) => most === CHANGES.numbers))) {
      putNumbers(columns, row as unknown as Numbers);
    }
    for (const row of whole.all(ids((most) => most !== CHANGES.numbers))) {
      put(columns, row as unknown as Row);
    }
    requireTime(db);
  }
}

/** Stores a channel, at its own position or at a new one. */
function put(columns: Columns, row: Row): void {
  const [id, , , , , isPublic, isChat, facets] = row;
  const { capacity, marks, state, territory } = columns;
  const position = columns.positionOf(id) ?? addLarge(columns, id);
  if (position < capacity && position >= (state[STATE.end] ?? 0)) state[STATE.end] = position + 1;
  hide(columns, position);
  if (isPublic === 0 || facets === null) return;
  let ofChannel = MARKS.isPublic + (isChat === 1 ? MARKS.isChat : 0);
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
  const position = columns.positionOf(id);
  if (position === undefined) return;
  const { numbers } = columns;
  numbers.subscribers[position] = subscribers;
  numbers.quality[position] = quality ?? UNKNOWN;
  numbers.citation[position] = citation ?? UNKNOWN;
  numbers.last_post_at[position] = lastPostAt ?? UNKNOWN;
}

function hide({ categories, marks, state, territory }: Columns, position: number): void {
  if (marks[position] === 0) return;
  marks[position] = 0;
  territory[position] = 0;
  const word = position >>> 5;
  const others = ~(1 << (position & 31));
  for (let at = 0; at < (state[STATE.categories] ?? 0); at++) {
    const bitmap = categories[at] as Uint32Array;
    bitmap[word] = (bitmap[word] as number) & others;
  }
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
  const bitmap = categories[at] as Uint32Array;
  bitmap[position >>> 5] = (bitmap[position >>> 5] as number) | (1 << (position & 31));
}

type MetricRow = readonly [id: number, listing: number, value: number | null];

const LISTING_BITS = `${LISTING.isKnown} + ${LISTING.isChat} * is_chat + ${LISTING.isFresh} * is_fresh
  + ${LISTING.isSmall} * is_small`;

/** Reads a metric, unless it is known as of the last run. */
function readMetric(db: Database, columns: Columns, metric: OrderedMetric): void {
  const { numbers, listing, state, versions } = columns;
  const bit = 1 << ORDERED_METRICS.indexOf(metric);
  const run = publishedRun(db);
  const isOtherRun = run !== versions[VERSION.metrics];
  const read = isOtherRun ? 0 : (state[STATE.metrics] ?? 0);
  if ((read & bit) !== 0) return;
  versions[VERSION.metrics] = run;
  state[STATE.metrics] = read;
  const values = numbers[metric].fill(UNKNOWN);
  if (read === 0) listing.fill(0);
  const part = statement(
    db,
    `SELECT id, ${LISTING_BITS}, ${metric} FROM channel_metrics
     WHERE slot = ${CURRENT_SLOT} AND id > ? ORDER BY id LIMIT ${CHANNELS_PER_READ}`,
  ).raw();
  for (let readTo = 0; ; ) {
    const rows = part.all(readTo) as unknown as MetricRow[];
    for (const [id, listed, value] of rows) {
      const position = columns.positionOf(id);
      if (position === undefined) continue;
      listing[position] = listed;
      values[position] = value ?? UNKNOWN;
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    readTo = last[0];
    requireTime(db);
  }
  state[STATE.metrics] = read | bit;
}
