import { noInline } from "bun:jsc";
import type { Columns, NumberColumn } from "./columns.ts";
import { idAt, isSet, placeOfCategory, STATE, UNKNOWN } from "./columns.ts";

/** Conditions on channels, in terms of the columns. */
export interface Tests {
  /** Column of the ordering, descending. */
  order: NumberColumn;
  marks: Bits;
  listing: Bits;
  categoryId: number | null;
  /** By number, 1 for the territories that are asked for. */
  territories: Uint8Array | null;
  ranges: readonly Range[];
}

/** Bits that are looked at, and their values. */
export interface Bits {
  mask: number;
  value: number;
}

export interface Range {
  column: NumberColumn;
  bounds: Bounds;
}

/**
 * The least and the largest value, inclusive. In an array, because its elements are floating-point numbers for
 * certain: with arguments that were integers at times, the engine compiled loops that took six times as long.
 */
export type Bounds = Float64Array;

export function boundsOf(least: number | null, most: number | null): Bounds {
  return Float64Array.of(least ?? Number.NEGATIVE_INFINITY, most ?? Number.POSITIVE_INFINITY);
}

/** A channel and its value in the ordering, `UNKNOWN` if it has none. */
export interface Place {
  id: number;
  value: number;
}

/** Positions to go through; null for all. */
export type Among = Int32Array | null;

/** Positions that are tested at a time: each test goes through those that the ones before it left. */
const BLOCK = 4096;
/** The current block's positions. Work on columns has no pauses, so that nothing else uses it meanwhile. */
const block = new Int32Array(BLOCK);

/**
 * The first channels of the ordering that pass all tests, after a place in it.
 * @param after null for the start
 */
export function firstOf(
  columns: Columns,
  {
    tests,
    among,
    after,
    limit,
  }: { tests: Tests; among: Among; after: Place | null; limit: number },
): Place[] {
  const values = columns.numbers[tests.order];
  const top = createTop(limit);
  const bounds = boundsOf(null, after?.value ?? null);
  eachBlock(columns, tests, among, bounds, (count) => {
    for (let at = 0; at < count; at++) {
      const position = block[at] ?? 0;
      const value = values[position] ?? 0;
      const id = idAt(columns, position);
      if (after === null || value < after.value || id > after.id) top.add(id, value);
    }
    bounds[0] = top.least();
  });
  return top.sorted();
}

/** Calls back with the positions of all channels that pass all tests, some at a time. */
export function eachMatch(
  columns: Columns,
  tests: Tests,
  among: Among,
  visit: (positions: Int32Array) => void,
): void {
  eachBlock(columns, tests, among, boundsOf(null, null), (count) =>
    visit(block.subarray(0, count)),
  );
}

/** @param bounds of the ordering's column; `visit` may raise the lower one */
function eachBlock(
  columns: Columns,
  tests: Tests,
  among: Among,
  bounds: Bounds,
  visit: (count: number) => void,
): void {
  const { capacity, categories, numbers, state } = columns;
  const order = numbers[tests.order];
  const category = tests.categoryId === null ? null : placeOfCategory(columns, tests.categoryId);
  // No channel has the category.
  if (category === -1) return;
  const passes = passesOf(columns, tests);
  const test = (all: number): void => {
    let left = all;
    for (const pass of passes) {
      if (left === 0) break;
      const given = left;
      left = pass.keep(given);
      pass.share = left / given;
    }
    if (left > 0) visit(left);
    // Each test reads a line of memory for each position, so the one that keeps the fewest goes first.
    passes.sort((one, other) => one.share - other.share);
  };
  const list = among ?? (category === null ? null : listOf(columns, category));
  if (list !== null) {
    passes.push({ keep: (count) => inRange(order, count, bounds), share: 1 });
    const bitmap = among === null || category === null ? undefined : categories[category];
    if (bitmap !== undefined) passes.push({ keep: (count) => inBitmap(bitmap, count), share: 1 });
    for (let at = 0; at < list.length; at += BLOCK) {
      const part = list.subarray(at, at + BLOCK);
      block.set(part);
      test(part.length);
    }
    return;
  }
  const runs = [
    [0, state[STATE.end] ?? 0],
    [capacity, capacity + (state[STATE.large] ?? 0)],
  ] as const;
  for (const [from, end] of runs) {
    for (let at = from; at < end; at += BLOCK) {
      test(within(order, at, Math.min(at + BLOCK, end), bounds));
    }
  }
}

/** Positions of a category's channels, as of a number of changes of its bitmap. */
interface List {
  changes: number;
  positions: Int32Array;
}

/** Lists of a thread, by place of the category. */
const lists = new WeakMap<Columns, List[]>();

/** The channels of a category. Taking them from its bitmap takes as long as the tests that follow. */
function listOf(columns: Columns, category: number): Int32Array {
  const known = lists.get(columns) ?? [];
  lists.set(columns, known);
  const changes = columns.categoryChanges[category] ?? 0;
  const list = known[category];
  if (list?.changes === changes) return list.positions;
  const positions = Int32Array.from(positionsIn(columns.categories[category] as Int32Array));
  known[category] = { changes, positions };
  return positions;
}

function positionsIn(bitmap: Int32Array): number[] {
  const positions: number[] = [];
  for (let at = 0; at < bitmap.length; at++) {
    for (let bits = bitmap[at] as number; bits !== 0; bits &= bits - 1) {
      positions.push((at << 5) + 31 - Math.clz32(bits & -bits));
    }
  }
  return positions;
}

/** A test of the block's positions. */
interface Pass {
  /** Keeps the positions that pass. @returns how many do */
  keep(count: number): number;
  /** Part that was kept of the last positions. */
  share: number;
}

function passesOf(
  { numbers, territory, marks, listing }: Columns,
  { territories, ranges, ...tests }: Tests,
): Pass[] {
  const keeps: Pass["keep"][] = ranges.map(
    ({ column, bounds }) =>
      (count) =>
        inRange(numbers[column], count, bounds),
  );
  if (territories !== null) keeps.push((count) => inTerritories(territories, territory, count));
  keeps.push((count) => withBits(marks, count, tests.marks));
  if (tests.listing.mask !== 0) keeps.push((count) => withBits(listing, count, tests.listing));
  return keeps.map((keep) => ({ keep, share: 1 }));
}

/*
 * The loops below keep the positions that pass a test at the beginning of the block, and return their number.
 * Each is compiled by itself: where the engine inlined them, which it did after some hundred pages, they took six
 * times as long (Bun 1.4.4).
 */
for (const loop of [within, inBitmap, inRange, inTerritories, withBits]) noInline(loop);

function within(column: Float64Array, from: number, to: number, bounds: Bounds): number {
  const [least, most] = [bounds[0] as number, bounds[1] as number];
  let count = 0;
  for (let position = from; position < to; position++) {
    const value = column[position] as number;
    if (value >= least && value <= most) block[count++] = position;
  }
  return count;
}

function inBitmap(bitmap: Int32Array, all: number): number {
  let count = 0;
  for (let at = 0; at < all; at++) {
    const position = block[at] as number;
    if (isSet(bitmap, position)) block[count++] = position;
  }
  return count;
}

function inRange(column: Float64Array, all: number, bounds: Bounds): number {
  const [least, most] = [bounds[0] as number, bounds[1] as number];
  let count = 0;
  for (let at = 0; at < all; at++) {
    const position = block[at] as number;
    const value = column[position] as number;
    if (value >= least && value <= most) block[count++] = position;
  }
  return count;
}

function inTerritories(wanted: Uint8Array, territory: Int32Array, all: number): number {
  let count = 0;
  for (let at = 0; at < all; at++) {
    const position = block[at] as number;
    if (wanted[territory[position] as number] === 1) block[count++] = position;
  }
  return count;
}

function withBits(column: Uint8Array, all: number, { mask, value }: Bits): number {
  let count = 0;
  for (let at = 0; at < all; at++) {
    const position = block[at] as number;
    if (((column[position] as number) & mask) === value) block[count++] = position;
  }
  return count;
}

/** The first of the places that are added: sorted and cut whenever there are twice as many. */
function createTop(limit: number) {
  const places: Place[] = [];
  let last: Place | null = null;

  function sorted(): Place[] {
    places.sort((one, other) => other.value - one.value || one.id - other.id);
    places.length = Math.min(places.length, limit);
    last = places[limit - 1] ?? null;
    return places;
  }

  return {
    add(id: number, value: number): void {
      if (last !== null && (value < last.value || (value === last.value && id > last.id))) return;
      places.push({ id, value });
      if (places.length === 2 * limit) sorted();
    },

    /** No place with a lower value is among the first. */
    least: (): number => last?.value ?? UNKNOWN,

    sorted,
  };
}
