import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Bucket, takeToken } from "../../../src/customers/limits/rates.ts";

const START_MS = Date.parse("2026-11-20T12:00:00+03:00");
const HOUR_MS = 3_600_000;

/** The instants, of those given, at which a request is allowed. */
function allowedAt(rate: number, instants: readonly number[]): number[] {
  let bucket: Bucket | null = null;
  return instants.filter((instant) => {
    const verdict = takeToken(bucket, rate, instant);
    bucket = verdict.bucket;
    return verdict.allowed;
  });
}

const times = (count: number, instant: number): number[] => Array(count).fill(instant);

test("a bucket holds one second's worth of requests, however long it is unused", () => {
  expect(allowedAt(5, times(20, START_MS))).toHaveLength(5);
  expect(
    allowedAt(5, [...times(20, START_MS), ...times(20, START_MS + 24 * HOUR_MS)]),
  ).toHaveLength(10);
});

test("a bucket refills continuously: a request every 200 ms at 5 a second", () => {
  const every200 = Array.from({ length: 50 }, (_, index) => START_MS + 1 + index * 200);
  const allowed = allowedAt(5, [...times(5, START_MS), ...every200]);
  expect(allowed).toHaveLength(5 + 49);
});

test("a refused request takes nothing, and its verdict says when to retry", () => {
  let verdict = takeToken(null, 2, START_MS);
  verdict = takeToken(verdict.bucket, 2, START_MS);
  const refused = takeToken(verdict.bucket, 2, START_MS);
  expect(refused).toMatchObject({ allowed: false, remaining: 0, retryAfterS: 1 });
  expect(takeToken(refused.bucket, 2, START_MS + 499).allowed).toBe(false);
  expect(takeToken(refused.bucket, 2, START_MS + 500).allowed).toBe(true);
});

test("a clock that goes back by an hour gives no free requests and locks nobody out", () => {
  const back = START_MS - HOUR_MS;
  expect(allowedAt(5, [...times(5, START_MS), ...times(5, back)])).toHaveLength(5);
  expect(allowedAt(5, [...times(5, START_MS), back, ...times(9, back + 1000)])).toHaveLength(10);
});

test("in any interval, no more than its seconds' worth and one burst are allowed", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
      (rate, steps) => {
        let at = START_MS;
        const instants = steps.map((step) => {
          at += step;
          return at;
        });
        const seconds = (at - START_MS) / 1000;
        expect(allowedAt(rate, instants).length).toBeLessThanOrEqual(rate + rate * seconds + 1e-6);
      },
    ),
  );
});

test("a plan with a smaller rate cuts the saved tokens", () => {
  const { bucket } = takeToken(null, 30, START_MS);
  expect(takeToken(bucket, 2, START_MS).remaining).toBe(1);
});
