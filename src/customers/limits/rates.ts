import type { Clock } from "../../ports/clock.ts";
import { type Bucket, lookAtTokens, type RateVerdict, takeToken } from "./rate-bucket.ts";

/** Messages of MCP's protocol a second and at once, for each organization. */
export const MESSAGES_PER_SECOND = 20;
const MESSAGES_BURST = 60;
/** A tool call waits so long for the plan's rate, and so many of an organization at a time. */
const WAIT_MS_MAX = 2_000;
const WAITING_MAX = 10;

export type Rates = ReturnType<typeof createRates>;

/** Buckets of each organization, in the memory of this process. */
export function createRates(clock: Pick<Clock, "sleep">) {
  const requests = new Map<number, Bucket>();
  const messages = new Map<number, Bucket>();
  /** Calls that wait, by organization; without those that have none. */
  const waiting = new Map<number, number>();

  function take(
    organizationId: number,
    requestsPerSecond: number,
    nowMs: number,
    waitMsMax = 0,
  ): RateVerdict {
    const known = requests.get(organizationId) ?? null;
    const verdict = takeToken(known, requestsPerSecond, nowMs, requestsPerSecond, waitMsMax);
    requests.set(organizationId, verdict.bucket);
    return verdict;
  }

  return {
    /** Takes one request of an organization, or says when there will be one. */
    take: (organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict =>
      take(organizationId, requestsPerSecond, nowMs),

    /** The same for a request that may wait: an allowed one is to `wait` for its `waitMs`. */
    takeSoon(organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict {
      const mayWait = (waiting.get(organizationId) ?? 0) < WAITING_MAX;
      return take(organizationId, requestsPerSecond, nowMs, mayWait ? WAIT_MS_MAX : 0);
    },

    async wait(organizationId: number, waitMs: number): Promise<void> {
      waiting.set(organizationId, (waiting.get(organizationId) ?? 0) + 1);
      await clock.sleep(waitMs);
      const left = (waiting.get(organizationId) ?? 1) - 1;
      if (left === 0) waiting.delete(organizationId);
      else waiting.set(organizationId, left);
    },

    look: (organizationId: number, requestsPerSecond: number, nowMs: number) =>
      lookAtTokens(requests.get(organizationId) ?? null, requestsPerSecond, nowMs),

    /** Takes one message of MCP's protocol. */
    takeMessage(organizationId: number, nowMs: number): RateVerdict {
      const known = messages.get(organizationId) ?? null;
      const verdict = takeToken(known, MESSAGES_PER_SECOND, nowMs, MESSAGES_BURST);
      messages.set(organizationId, verdict.bucket);
      return verdict;
    },
  };
}
