import { expect, test } from "bun:test";
import { changeOver } from "../../../src/catalog/metrics/change-over.ts";
import { formatDay } from "../../../src/values/moscow-time.ts";

const LAST = 20_000;

/** Readings of a channel, by how many days they are before the last one. */
const rows = (before: Record<number, number>) =>
  Object.entries(before)
    .map(([days, subscribers]) => ({
      ...{ channel: 1, day: formatDay(LAST - Number(days)), subscribers, views: 0, posts: 0 },
    }))
    .toSorted((one, other) => (one.day < other.day ? -1 : 1));

test("growth counts from the reading that many days before the last, or the nearest within two days", () => {
  for (const [before, grown] of [
    [{ 0: 100, 30: 60 }, 40],
    [{ 0: 100, 29: 70, 30: 60, 31: 50 }, 40],
    [{ 0: 100, 29: 70, 31: 50 }, 50],
    [{ 0: 100, 28: 70, 31: 50 }, 50],
    [{ 0: 100, 29: 70, 32: 50 }, 30],
    [{ 0: 100, 28: 70 }, 30],
    [{ 0: 100, 27: 70, 33: 50 }, null],
    [{ 0: 100 }, null],
    [{}, null],
  ] as const) {
    expect(changeOver(rows(before), 30)?.subscribers ?? null, JSON.stringify(before)).toBe(grown);
  }
  expect(changeOver(rows({ 0: 100, 1: 0 }), 1)).toEqual({ subscribers: 100, part: null });
});
