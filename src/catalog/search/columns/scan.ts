import { noInline } from "bun:jsc";
import {
  bitmapOf,
  type Columns,
  idAt,
  isSet,
  type NumberColumn,
  STATE,
  UNKNOWN,
} from "./columns.ts";

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
export type Among = Uint32Array | null;

/** Positions that are tested at a time: each test goes through those that the ones before it left. */
const BLOCK = 4096;
/** The current block's positions. Work on columns has no pauses, so that nothing else uses it meanwhile. */
const block = new Uint32Array(BLOCK);

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
  visit: (positions: Uint32Array) => void,
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
  const { capacity, numbers, state } = columns;
  const order = numbers[tests.order];
  const { categoryId } = tests;
  const bitmap = categoryId === null ? null : bitmapOf(columns, categoryId);
  // No channel has the category.
  if (bitmap === undefined) return;
  const test = (count: number): void => {
    const left = passing(columns, tests, count);
    if (left > 0) visit(left);
  };
  if (among !== null) {
    for (let at = 0; at < among.length; at += BLOCK) {
      const part = among.subarray(at, at + BLOCK);
      block.set(part);
      const count = bitmap === null ? part.length : inBitmap(bitmap, part.length);
      test(inRange(order, count, bounds));
    }
    return;
  }
  const runs = [
    [0, state[STATE.end] ?? 0],
    [capacity, capacity + (state[STATE.large] ?? 0)],
  ] as const;
  for (const [from, end] of runs) {
    for (let at = from; at < end; at += BLOCK) {
      const to = Math.min(at + BLOCK, end);
      if (bitmap === null) test(within(order, at, to, bounds));
      else test(inRange(order, ofBitmap(bitmap, at, to), bounds));
    }
  }
}

function passing(
  { numbers, territory, marks, listing }: Columns,
  tests: Tests,
  all: number,
): number {
  let count = all;
  if (tests.territories !== null) count = inTerritories(tests.territories, territory, count);
  for (const { column, bounds } of tests.ranges) count = inRange(numbers[column], count, bounds);
  count = withBits(marks, count, tests.marks);
  return tests.listing.mask === 0 ? count : withBits(listing, count, tests.listing);
}

/*
 * The loops below keep the positions that pass a test at the beginning of the block, and return their number.
 * Each is compiled by itself: where the engine inlined them, which it did after some hundred pages, they took six
 * times as long (Bun 1.4.4).
 */
for (const loop of [within, ofBitmap, inBitmap, inRange, inTerritories, withBits]) noInline(loop);

function within(column: Float64Array, from: number, to: number, bounds: Bounds): number {
  const [least, most] = [bounds[0] as number, bounds[1] as number];
  let count = 0;
  for (let position = from; position < to; position++) {
    const value = column[position] as number;
    if (value >= least && value <= most) block[count++] = position;
  }
  return count;
}

function ofBitmap(bitmap: Uint32Array, from: number, to: number): number {
  let count = 0;
  for (let at = from >>> 5; at << 5 < to; at++) {
    for (let bits = bitmap[at] as number; bits !== 0; bits &= bits - 1) {
      block[count++] = (at << 5) + 31 - Math.clz32(bits & -bits);
    }
  }
  return count;
}

function inBitmap(bitmap: Uint32Array, all: number): number {
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

function inTerritories(wanted: Uint8Array, territory: Uint32Array, all: number): number {
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
