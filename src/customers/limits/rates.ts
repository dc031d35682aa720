import { type Bucket, type RateVerdict, takeToken } from "./rate-bucket.ts";

export type Rates = ReturnType<typeof createRates>;

/** One bucket an organization, in the memory of this process (decisions, section 4). */
export function createRates() {
  const buckets = new Map<number, Bucket>();
  return {
    /** Takes one request of an organization, or says when there will be one. */
    take(organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict {
      const known = buckets.get(organizationId) ?? null;
      const verdict = takeToken(known, requestsPerSecond, nowMs);
      buckets.set(organizationId, verdict.bucket);
      return verdict;
    },
  };
}
