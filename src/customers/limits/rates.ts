import type { Clock } from "../../ports/clock.ts";
import {
  type Buckets,
  createBuckets,
  peekTokens,
  type RateVerdict,
  takeToken,
  tokensAt,
} from "./buckets.ts";

/** MCP protocol messages per second for each organization, and the burst. */
export const MESSAGES_PER_SECOND = 20;
const MESSAGES_BURST = 60;
/** How long a tool call may wait for the plan's rate, and how many of an organization may wait at once. */
const WAIT_MS_MAX = 2_000;
const WAITING_MAX = 10;
/** Tolerance for sums of fractions that should be whole numbers. */
const ROUNDING = 1e-6;

export type Rates = ReturnType<typeof createRates>;

export interface RateBuckets {
  requests: Buckets<number>;
  messages: Buckets<number>;
}

function ownRateBuckets(): RateBuckets {
  return { requests: createBuckets(), messages: createBuckets() };
}

/** Rates of each organization; workers that share the buckets share the rate. */
export function createRates(clock: Pick<Clock, "sleep">, buckets: RateBuckets = ownRateBuckets()) {
  const { requests, messages } = buckets;
  return {
    take: (organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict =>
      requests.change(organizationId, requestsPerSecond, nowMs, (bucket) =>
        takeToken(bucket, requestsPerSecond, nowMs),
      ),

    /**
     * The same for a request that may wait: if allowed, it must `wait` for its `waitMs`. Every waiting
     * request has taken a token below 0, so the bucket shows how many are waiting.
     */
    takeSoon: (organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict =>
      requests.change(organizationId, requestsPerSecond, nowMs, (bucket) => {
        const tokens = tokensAt(bucket, requestsPerSecond, nowMs, requestsPerSecond);
        const mayWait = Math.ceil(-tokens - ROUNDING) < WAITING_MAX;
        const waitMsMax = mayWait ? WAIT_MS_MAX : 0;
        return takeToken(bucket, requestsPerSecond, nowMs, requestsPerSecond, waitMsMax);
      }),

    wait: (waitMs: number): Promise<void> => clock.sleep(waitMs),

    peek: (organizationId: number, requestsPerSecond: number, nowMs: number) =>
      peekTokens(requests.peek(organizationId, requestsPerSecond, nowMs), requestsPerSecond, nowMs),

    takeMessage: (organizationId: number, nowMs: number): RateVerdict =>
      messages.change(organizationId, MESSAGES_PER_SECOND, nowMs, (bucket) =>
        takeToken(bucket, MESSAGES_PER_SECOND, nowMs, MESSAGES_BURST),
      ),
  };
}
