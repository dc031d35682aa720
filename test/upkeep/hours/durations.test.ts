import { expect, test } from "bun:test";
import fc from "fast-check";
import { classOf, quantileUs, sumOfDurations } from "../../../src/upkeep/hours/hours.ts";

/** Histogram of durations. */
function counted(durationsUs: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const us of durationsUs) counts.set(classOf(us), (counts.get(classOf(us)) ?? 0) + 1);
  return counts;
}

const durations = fc.array(fc.integer({ min: 1, max: 3_600_000_000 }), { minLength: 1 });

test("99 % of requests took at most the reported p99, which is at most 19 % too high", () => {
  fc.assert(
    fc.property(durations, (all) => {
      const sorted = all.toSorted((one, other) => one - other);
      const exact = sorted[Math.ceil(all.length * 0.99) - 1] ?? 0;
      const reported = quantileUs(counted(all), 0.99) ?? 0;
      expect(reported).toBeGreaterThanOrEqual(exact - 1);
      expect(reported).toBeLessThanOrEqual(exact * 1.19 + 1);
    }),
  );
});

test("the summed histograms of hours report the same as one histogram of all their requests", () => {
  fc.assert(
    fc.property(durations, durations, (one, other) => {
      const sum = sumOfDurations([counted(one), counted(other)]);
      expect(quantileUs(sum, 0.99)).toBe(quantileUs(counted([...one, ...other]), 0.99));
    }),
  );
});

test("without requests there is no quantile", () => {
  expect(quantileUs(new Map(), 0.99)).toBeNull();
});
