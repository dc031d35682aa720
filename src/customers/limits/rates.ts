import type { Clock } from "../../ports/clock.ts";
import { type Buckets, createBuckets } from "./buckets.ts";
import { lookAtTokens, type RateVerdict, takeToken, tokensAt } from "./rate-bucket.ts";

/** Messages of MCP's protocol a second and at once, for each organization. */
export const MESSAGES_PER_SECOND = 20;
const MESSAGES_BURST = 60;
/** A tool call waits so long for the plan's rate, and so many of an organization at a time. */
const WAIT_MS_MAX = 2_000;
const WAITING_MAX = 10;
/** Sums of fractions differ from a whole number by less. */
const ROUNDING = 1e-6;

export type Rates = ReturnType<typeof createRates>;

/** Buckets of organizations, by their numbers. */
export interface RateBuckets {
  requests: Buckets<number>;
  messages: Buckets<number>;
}

function ownRateBuckets(): RateBuckets {
  return { requests: createBuckets(null), messages: createBuckets(null) };
}

/** Rates of each organization; those of several workers are one where they share the buckets. */
export function createRates(clock: Pick<Clock, "sleep">, buckets: RateBuckets = ownRateBuckets()) {
  const { requests, messages } = buckets;
  return {
    /** Takes one request of an organization, or says when there will be one. */
    take: (organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict =>
      requests.change(organizationId, requestsPerSecond, nowMs, (bucket) =>
        takeToken(bucket, requestsPerSecond, nowMs),
      ),

    /**
     * The same for a request that may wait: an allowed one is to `wait` for its `waitMs`. Each that
     * waits has taken a token below 0, so the bucket tells how many do.
     */
    takeSoon: (organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict =>
      requests.change(organizationId, requestsPerSecond, nowMs, (bucket) => {
        const tokens = tokensAt(bucket, requestsPerSecond, nowMs, requestsPerSecond);
        const mayWait = Math.ceil(-tokens - ROUNDING) < WAITING_MAX;
        const waitMsMax = mayWait ? WAIT_MS_MAX : 0;
        return takeToken(bucket, requestsPerSecond, nowMs, requestsPerSecond, waitMsMax);
      }),

    wait: (waitMs: number): Promise<void> => clock.sleep(waitMs),

    look: (organizationId: number, requestsPerSecond: number, nowMs: number) =>
      lookAtTokens(
        requests.look(organizationId, requestsPerSecond, nowMs),
        requestsPerSecond,
        nowMs,
      ),

    /** Takes one message of MCP's protocol. */
    takeMessage: (organizationId: number, nowMs: number): RateVerdict =>
      messages.change(organizationId, MESSAGES_PER_SECOND, nowMs, (bucket) =>
        takeToken(bucket, MESSAGES_PER_SECOND, nowMs, MESSAGES_BURST),
      ),
  };
}
