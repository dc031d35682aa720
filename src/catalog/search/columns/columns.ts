import { ORDERED_METRICS, type OrderedMetric } from "../../metrics/metrics.ts";

/**
 * What the catalog is filtered and ordered by, in memory: a typed array for each column, some 45 bytes a
 * channel. Finding a page goes through the arrays, 4 ns a channel at most, so that no ordering needs an index on
 * disk, and refreshing a channel writes its row only. The threads of a process share one memory.
 */
export interface Columns {
  /** Positions up to it are the numbers of channels; those from it on are of channels with larger numbers. */
  readonly capacity: number;
  /** Values by position; unknown ones are `UNKNOWN`. Metrics are read when they are first asked for. */
  readonly numbers: Readonly<Record<NumberColumn, Float64Array>>;
  /** Number of the channel's own territory; 0: none. */
  readonly territory: Uint32Array;
  /** Bits of `MARKS`; 0: the channel is not in the catalog. */
  readonly marks: Uint8Array;
  /** Bits of `LISTING`, as of the last run that computed metrics; 0: none were computed. */
  readonly listing: Uint8Array;
  /** Numbers of the channels at `capacity` and the following positions. */
  readonly largeIds: Float64Array;
  /** Numbers of the categories that have a bitmap, in the order of the bitmaps. */
  readonly categoryIds: Uint32Array;
  /** Channels of each category: a bit for each position. */
  readonly categories: readonly Uint32Array[];
  /** What was read so far (read-columns.store.ts). */
  readonly versions: Float64Array;
  readonly state: Int32Array;
  /** Position of a channel; undefined if it has none. */
  positionOf(id: number): number | undefined;
}

const ROW_COLUMNS = ["subscribers", "quality", "citation", "last_post_at"] as const;
export type NumberColumn = (typeof ROW_COLUMNS)[number] | OrderedMetric;
const NUMBER_COLUMNS: readonly NumberColumn[] = [...ROW_COLUMNS, ...ORDERED_METRICS];

/** Below every value, so that channels without one come last. */
export const UNKNOWN = Number.NEGATIVE_INFINITY;

export const MARKS = { isPublic: 1, isChat: 2, aPlus: 4, verified: 8 } as const;
export const LISTING = { isKnown: 1, isChat: 2, isFresh: 4, isSmall: 8 } as const;

/** Places in `state`, after the memory's two sizes. */
export const STATE = {
  lock: 2,
  /** 1: all channels were read. */
  isRead: 3,
  /** Positions below it may be in use, of those below `capacity`. */
  end: 4,
  /** How many channels have larger numbers, and how many categories have a bitmap. */
  large: 5,
  categories: 6,
  /** Metrics that were read: a bit for each. */
  metrics: 7,
} as const;
/** Places in `versions`: of the channels, the number up to which they were read, and of the metrics. */
export const VERSION = { channels: 0, readTo: 1, metrics: 2 } as const;

const CATEGORIES_MIN = 64;
/** For a process that serves: room to grow costs no memory until it is used. */
const SHARED_MIN = 2 ** 20;
const OWN_MIN = 2 ** 12;

export interface Size {
  channels: number;
  categories: number;
}

/** Memory for the columns of a catalog that may double in size. */
export function sharedMemory({ channels, categories }: Size): SharedArrayBuffer {
  return allocate(Math.max(SHARED_MIN, 2 * channels), Math.max(4 * CATEGORIES_MIN, 2 * categories));
}

/** The same for one connection, which makes a larger one when it is full. */
export function ownMemory({ channels, categories }: Size): SharedArrayBuffer {
  return allocate(Math.max(OWN_MIN, 2 * channels), Math.max(CATEGORIES_MIN, 2 * categories));
}

/** Its first two words are the sizes, by which every thread finds the same columns in it. */
function allocate(channels: number, categories: number): SharedArrayBuffer {
  const sizes = [roundUp(channels), roundUp(categories)] as const;
  const memory = new SharedArrayBuffer(bytesOf(...sizes));
  new Int32Array(memory).set(sizes);
  return memory;
}

/** Sizes are multiples of 64, so that every column and bitmap begins at a whole word. */
function roundUp(size: number): number {
  return Math.ceil(size / 64) * 64;
}

const STATE_LENGTH = 2 + Object.keys(STATE).length;
const VERSIONS_LENGTH = Object.keys(VERSION).length;
const BYTES_PER_POSITION = 8 * NUMBER_COLUMNS.length + 4 + 1 + 1;

function bytesOf(capacity: number, categories: number): number {
  return (
    4 * STATE_LENGTH +
    8 * VERSIONS_LENGTH +
    2 * capacity * BYTES_PER_POSITION +
    8 * capacity +
    4 * categories +
    (categories * 2 * capacity) / 8
  );
}

/** The columns in a memory: views of it, which take nothing. */
export function columnsIn(memory: SharedArrayBuffer): Columns {
  const [capacity = 0, categories = 0] = new Int32Array(memory, 0, 2);
  const positions = 2 * capacity;
  let at = 0;
  const take = <View extends ArrayBufferView>(
    View: new (memory: SharedArrayBuffer, at: number, length: number) => View,
    length: number,
  ): View => {
    const view = new View(memory, at, length);
    at += view.byteLength;
    return view;
  };
  const state = take(Int32Array, STATE_LENGTH);
  const versions = take(Float64Array, VERSIONS_LENGTH);
  const largeIds = take(Float64Array, capacity);
  const ofLarge = new Map<number, number>();
  return {
    ...{ capacity, state, versions, largeIds },
    positionOf(id) {
      if (id < capacity) return id;
      const large = state[STATE.large] ?? 0;
      for (let at = ofLarge.size; at < large; at++) ofLarge.set(largeIds[at] ?? 0, capacity + at);
      return ofLarge.get(id);
    },
    numbers: Object.fromEntries(
      NUMBER_COLUMNS.map((name) => [name, take(Float64Array, positions)]),
    ) as Columns["numbers"],
    territory: take(Uint32Array, positions),
    categoryIds: take(Uint32Array, categories),
    categories: Array.from({ length: categories }, () => take(Uint32Array, positions / 32)),
    marks: take(Uint8Array, positions),
    listing: take(Uint8Array, positions),
  };
}

/** Number of the channel at a position. */
export function idAt({ capacity, largeIds }: Columns, position: number): number {
  return position < capacity ? position : (largeIds[position - capacity] ?? 0);
}
