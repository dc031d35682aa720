/**
 * Classes of durations, four to each doubling: the upper bound of a class is at most 19 % above what is in
 * it. A request adds one to a number, and hours add up.
 */
const CLASSES_PER_DOUBLING = 4;
/** The class of more than an hour. */
const CLASS_MAX = 128;

/** Counts of requests by class. */
export type Durations = ReadonlyMap<number, number>;

export function classOf(durationUs: number): number {
  const exact = Math.ceil(Math.log2(Math.max(durationUs, 1)) * CLASSES_PER_DOUBLING);
  return Math.min(exact, CLASS_MAX);
}

/**
 * The duration within which a part of the requests was answered, as the upper bound of its class.
 * @returns microseconds; null where there was no request
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

/** Those of several hours together. */
export function sumOfDurations(hours: readonly Durations[]): Durations {
  const sum = new Map<number, number>();
  for (const durations of hours) {
    for (const [at, requests] of durations) sum.set(at, (sum.get(at) ?? 0) + requests);
  }
  return sum;
}
