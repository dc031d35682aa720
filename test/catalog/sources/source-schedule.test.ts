import { describe, expect, test } from "bun:test";
import { dueAt } from "../../../src/catalog/sources/source-schedule.ts";

const MINUTE_MS = 60_000;
const NOW = Date.parse("2026-11-20T12:00:00+03:00");
const SOURCE = {
  ...{ schedule: "6h", isPaused: false, isRequested: false, position: {} },
  ...{ startedAt: NOW - MINUTE_MS, endedAt: NOW - MINUTE_MS, failures: 0, retryAt: null },
};

describe("a source that failed is due again", () => {
  test("a minute after its end, then after twice as long each time, up to an hour", () => {
    const waits = [1, 2, 3, 6, 7, 8, 50].map(
      (failures) => dueAt({ ...SOURCE, failures }, NOW) - SOURCE.endedAt,
    );
    expect(waits).toEqual([1, 2, 4, 32, 60, 60, 60].map((minutes) => minutes * MINUTE_MS));
  });

  test("a minute after its start if the process that ran it was killed", () => {
    const killed = { ...SOURCE, failures: 1, endedAt: NOW - 60 * MINUTE_MS };
    expect(dueAt(killed, NOW)).toBe(killed.startedAt + MINUTE_MS);
    expect(dueAt({ ...killed, endedAt: null }, NOW)).toBe(killed.startedAt + MINUTE_MS);
  });

  test("not before the time that the other side asked for", () => {
    const retryAt = NOW + 5 * MINUTE_MS;
    expect(dueAt({ ...SOURCE, failures: 1, retryAt }, NOW)).toBe(retryAt);
    expect(dueAt({ ...SOURCE, failures: 7, retryAt }, NOW)).toBe(SOURCE.endedAt + 60 * MINUTE_MS);
  });
});
