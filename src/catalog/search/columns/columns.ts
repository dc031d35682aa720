import { ORDERED_METRICS } from "../../metrics/metrics.ts";

/**
 * Values by which the catalog is filtered and ordered, in memory (columns.md): a typed array for each column, over
 * memory that the threads of a process share. Integers are signed: the engine takes unsigned ones for
 * floating-point numbers, since they may not fit.
 */
export interface Columns {
  /** Positions below it are the numbers of channels; those from it on are of channels with larger numbers. */
  readonly capacity: number;
  /** Values by position; unknown ones are `UNKNOWN`. Metrics are read when they are first asked for. */
  readonly numbers: Readonly<Record<NumberColumn, Float64Array>>;
  /** Number of the channel's own territory; 0: none. */
  readonly territory: Int32Array;
  /** Bits of `MARKS`; 0: the channel is not in the catalog. */
  readonly marks: Uint8Array;
  /** Bits of `LISTING`, as of the last run that computed metrics; 0: none were computed. */
  readonly listing: Uint8Array;
  /** Numbers of the channels at `capacity` and the following positions. */
  readonly largeIds: Float64Array;
  /** Numbers of the categories that have a bitmap, in the order of the bitmaps; 0 from their end on. */
  readonly categoryIds: Int32Array;
  /** Channels of each category: a bit for each position. */
  readonly categories: readonly Int32Array[];
  /** How often the bitmap at a place changed. */
  readonly categoryChanges: Int32Array;
  /** Versions up to which channels and metrics were read (read-columns.store.ts), at the places of `VERSION`. */
  readonly versions: Float64Array;
  /** Numbers at the places of `STATE`. */
  readonly state: Int32Array;
}

/** Columns of the catalog's table, then metrics; each is an ordering too. */
const NUMBER_COLUMNS = [
  ...(["subscribers", "quality", "citation", "last_post_at"] as const),
  ...ORDERED_METRICS,
] as const;
export type NumberColumn = (typeof NUMBER_COLUMNS)[number];

/** Below every value, so that channels without one come last. */
export const UNKNOWN = Number.NEGATIVE_INFINITY;

export const MARKS = { isPublic: 1, isChat: 2, aPlus: 4, verified: 8 } as const;
export const LISTING = { isKnown: 1, isChat: 2, isFresh: 4, isSmall: 8 } as const;

export const STATE = {
  lock: 0,
  /** 1: all channels were read. */
  isRead: 1,
  /** Positions below it may be in use, of those below `capacity`. */
  end: 2,
  /** How many channels have larger numbers, and how many categories have a bitmap. */
  large: 3,
  categories: 4,
  /** Metrics that were read, a bit for each, and the one that is being read. */
  metrics: 5,
  metric: 6,
  /** 1: the catalog has outgrown the columns. */
  isFull: 7,
} as const;
export const VERSION = {
  /** Up to which changes of channels were read, and while all are read, up to which number. */
  channels: 0,
  readTo: 1,
  /** The run of the metrics, and up to which number the one that is being read was. */
  metrics: 2,
  metricTo: 3,
} as const;

/** How many channels and categories there are. */
export interface Size {
  channels: number;
  categories: number;
}

/** For a process that serves: room to grow takes no memory until it is used. */
export const SHARED_LEAST: Size = { channels: 2 ** 20, categories: 256 };
/** For a single connection, which makes larger columns when they are full. */
export const OWN_LEAST: Size = { channels: 2 ** 12, categories: 64 };

/** Columns without channels, for twice as many as there are, and as many with larger numbers. */
export function makeColumns(size: Size, least: Size): Columns {
  // A multiple of 64, so that bitmaps are whole words.
  const capacity = 64 * Math.ceil(Math.max(least.channels, 2 * size.channels) / 64);
  const categories = Math.max(least.categories, 2 * size.categories);
  const positions = 2 * capacity;
  return {
    capacity,
    numbers: Object.fromEntries(
      NUMBER_COLUMNS.map((name) => [name, new Float64Array(shared(8 * positions))]),
    ) as Columns["numbers"],
    territory: new Int32Array(shared(4 * positions)),
    marks: new Uint8Array(shared(positions)),
    listing: new Uint8Array(shared(positions)),
    largeIds: new Float64Array(shared(8 * capacity)),
    categoryIds: new Int32Array(shared(4 * categories)),
    categoryChanges: new Int32Array(shared(4 * categories)),
    categories: Array.from({ length: categories }, () => new Int32Array(shared(positions / 8))),
    versions: new Float64Array(shared(8 * Object.keys(VERSION).length)),
    state: new Int32Array(shared(4 * Object.keys(STATE).length)),
  };
}

function shared(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}

/** Number of the channel at a position. */
export function idAt({ capacity, largeIds }: Columns, position: number): number {
  return position < capacity ? position : (largeIds[position - capacity] ?? 0);
}

/** Positions of channels with large numbers, as far as a thread has looked them up. */
const positionsOfLarge = new WeakMap<Columns, Map<number, number>>();

/** Position of a channel; undefined if it has none. */
export function positionOf(columns: Columns, id: number): number | undefined {
  const { capacity, largeIds, state } = columns;
  if (id < capacity) return id;
  const known = positionsOfLarge.get(columns) ?? new Map<number, number>();
  positionsOfLarge.set(columns, known);
  const large = state[STATE.large] ?? 0;
  for (let at = known.size; at < large; at++) known.set(largeIds[at] ?? 0, capacity + at);
  return known.get(id);
}

/** Place of a category's bitmap; -1 if no channel had it yet. */
export function placeOfCategory({ categoryIds }: Columns, id: number): number {
  return categoryIds.indexOf(id);
}

export function isSet(bitmap: Int32Array, position: number): boolean {
  return (((bitmap[position >>> 5] as number) >>> (position & 31)) & 1) === 1;
}
