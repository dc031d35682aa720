/**
 * Histogram of durations with four classes per doubling, so a class's upper bound is at most 19 % above its
 * values. Recording a request increments one counter, and hours can be summed.
 */
const CLASSES_PER_DOUBLING = 4;
/** Class for anything over an hour. */
const CLASS_MAX = 128;

/** Numbers of requests by class. */
export type Durations = ReadonlyMap<number, number>;

/** The class of a duration; its upper bound is 2^(class / 4) microseconds. */
export function classOf(durationUs: number): number {
  const exact = Math.ceil(Math.log2(Math.max(durationUs, 1)) * CLASSES_PER_DOUBLING);
  return Math.min(exact, CLASS_MAX);
}

/**
 * A quantile, as the upper bound of its class.
 * @param part between 0 and 1
 * @returns microseconds; null if there were no requests
 */
export function quantileUs(durations: Durations, part: number): number | null {
  const classes = [...durations].sort(([one], [other]) => one - other);
  const all = classes.reduce((sum, [, requests]) => sum + requests, 0);
  let passed = 0;
  for (const [at, requests] of classes) {
    passed += requests;
    if (passed >= all * part) return Math.round(2 ** (at / CLASSES_PER_DOUBLING));
  }
  return null;
}

/** Sums the histograms of several hours. */
export function sumOfDurations(hours: readonly Durations[]): Durations {
  const sum = new Map<number, number>();
  for (const durations of hours) {
    for (const [at, requests] of durations) sum.set(at, (sum.get(at) ?? 0) + requests);
  }
  return sum;
}
