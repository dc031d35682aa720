import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  dayRow,
  endBelow,
  freeRow,
  minuteRow,
  nextDayRow,
  startFrom,
} from "../../../src/catalog/post-search/index-text.ts";
import { dayOf, startOfDay } from "../../../src/values/moscow-time.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";

/** Assigns rows to posts in the given order. */
function rowsOf(instants: readonly number[]): { at: number; row: number }[] {
  const taken: number[] = [];
  return instants.map((at) => {
    const row = freeRow(at, (first, end) => {
      const last = taken.filter((one) => one >= first && one < end);
      return last.length === 0 ? null : Math.max(...last);
    });
    taken.push(row);
    return { at, row };
  });
}

const MIDNIGHT = startOfDay(dayOf(Date.parse("2026-11-20T12:00:00Z")));
const crowded = fc.array(
  fc.integer({ min: 0, max: 6 }).map((minutes) => MIDNIGHT + minutes * 60_000),
  { maxLength: 80 },
);
const spread = fc.array(
  fc.integer({ min: -2, max: 3 * 24 * 60 }).map((minutes) => MIDNIGHT + minutes * 60_000 + 7),
  { maxLength: 40 },
);

test("each post gets its own row, within its day and not before its minute, however many share a minute", async () => {
  await asTimeAllows(
    fc.property(fc.oneof(crowded, spread), (instants) => {
      const rows = rowsOf(instants);
      expect(new Set(rows.map(({ row }) => row)).size).toBe(instants.length);
      for (const { at, row } of rows) {
        expect(row).toBeGreaterThanOrEqual(minuteRow(at));
        expect(row).toBeGreaterThanOrEqual(dayRow(dayOf(at)));
        expect(row).toBeLessThan(dayRow(dayOf(at) + 1));
        expect(nextDayRow(row)).toBe(dayRow(dayOf(at) + 1));
      }
    }),
    200,
  );
});

test("all posts with rows from one on are no older than the bound computed for it", async () => {
  await asTimeAllows(
    fc.property(fc.oneof(crowded, spread), (instants) => {
      const rows = rowsOf(instants);
      const spill = Math.max(0, ...rows.map(({ at, row }) => row - minuteRow(at)));
      for (const { row } of rows) {
        for (const other of rows) {
          if (other.row >= row) expect(other.at).toBeGreaterThanOrEqual(startFrom(row, spill));
        }
      }
    }),
    200,
  );
});

test("all posts with lower rows are older than the bound computed for a row", async () => {
  await asTimeAllows(
    fc.property(fc.oneof(crowded, spread), (instants) => {
      const rows = rowsOf(instants);
      for (const { row } of rows) {
        for (const below of rows) {
          if (below.row < row) expect(below.at).toBeLessThan(endBelow(row));
        }
      }
    }),
    200,
  );
});
