import type { Clock } from "../../ports/clock.ts";
import { createSharedTable, NO_STATE } from "../../values/claims.ts";

/** A token bucket: one second's worth of requests, refilled continuously. The caller keeps its state. */
export interface Bucket {
  /** Negative while requests are waiting, each for a token of its own. */
  tokens: number;
  updatedAtMs: number;
}

export interface RateVerdict {
  allowed: boolean;
  bucket: Bucket;
  /** Milliseconds that an allowed request must wait for its token. */
  waitMs: number;
  /** Whole requests left right now. */
  remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  resetS: number;
  /** Seconds until a refused request should be retried, rounded up and at least 1. */
  retryAfterS: number;
}

/**
 * Takes a token, or says when to retry.
 * @param bucket null if it has never been used, and so is full
 * @param burst capacity in tokens
 * @param waitMsMax how long the request may wait for a token
 */
export function takeToken(
  bucket: Bucket | null,
  requestsPerSecond: number,
  nowMs: number,
  burst = requestsPerSecond,
  waitMsMax = 0,
): RateVerdict {
  const filled = tokensAt(bucket, requestsPerSecond, nowMs, burst);
  const waitMs = Math.max(0, ((1 - filled) / requestsPerSecond) * 1000);
  const allowed = waitMs <= waitMsMax;
  const tokens = allowed ? filled - 1 : filled;
  const waitS = (1 - tokens) / requestsPerSecond - waitMsMax / 1000;
  return {
    allowed,
    bucket: { tokens, updatedAtMs: nowMs },
    waitMs: allowed ? waitMs : 0,
    remaining: Math.max(0, Math.floor(tokens)),
    resetS: Math.ceil((burst - tokens) / requestsPerSecond),
    retryAfterS: Math.max(1, Math.ceil(waitS)),
  };
}

function peekTokens(
  bucket: Bucket | null,
  requestsPerSecond: number,
  nowMs: number,
): Pick<RateVerdict, "remaining" | "resetS"> {
  const burst = burstOf(requestsPerSecond);
  const tokens = tokensAt(bucket, requestsPerSecond, nowMs, burst);
  return {
    remaining: Math.max(0, Math.floor(tokens)),
    resetS: Math.ceil((burst - tokens) / requestsPerSecond),
  };
}

/** Tokens in a bucket at an instant; negative while requests are waiting. */
export function tokensAt(
  bucket: Bucket | null,
  requestsPerSecond: number,
  nowMs: number,
  burst: number,
): number {
  if (bucket === null) return burst;
  // A clock that went back refills nothing; refilling continues from the earlier time.
  const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs);
  return Math.min(burst, bucket.tokens + (elapsedMs / 1000) * requestsPerSecond);
}

/** Token buckets by name, in a process's memory or in memory that workers share. */
export interface Buckets<Name extends string | number> {
  /** Null if it has never been used. */
  peek(name: Name, perSecond: number, nowMs: number): Bucket | null;
  /**
   * Atomically replaces a bucket with the result of `take`.
   * @param take may be called again with a newer bucket; only the last call counts
   */
  change<Verdict extends { bucket: Bucket }>(
    name: Name,
    perSecond: number,
    nowMs: number,
    take: (bucket: Bucket | null) => Verdict,
  ): Verdict;
}

/** Buckets of names that something else limits, such as the number of organizations. */
export function createBuckets<Name extends string | number>(): Buckets<Name> {
  const buckets = new Map<Name, Bucket>();
  return {
    peek: (name) => buckets.get(name) ?? null,
    change(name, _perSecond, _nowMs, take) {
      const verdict = take(buckets.get(name) ?? null);
      buckets.set(name, verdict.bucket);
      return verdict;
    },
  };
}

/** Usual lower bound for tokens, which would fall without limit if the clock were set back. */
const DEBT_MAX = 10;
/** Tolerance for rounding: three thirds of a token still make a whole one. */
const ROUNDING = 1e-6;

/** A number and its bits in one word, which can be swapped atomically. */
const numbers = new Float64Array(1);
const bits = new BigInt64Array(numbers.buffer);

function wordOf(number: number): bigint {
  numbers[0] = number;
  const word = bits[0] as bigint;
  // The bits of 0 are those of `NO_STATE`; 1 is the bits of the smallest number above it.
  return word === NO_STATE ? 1n : word;
}

function numberOf(word: bigint): number {
  bits[0] = word;
  return numbers[0] as number;
}

/**
 * Buckets in memory shared by all workers. A bucket is stored in one word: the instant at which it had, or
 * will have, no tokens.
 * @param baseMs epoch of the stored milliseconds; being recent, it leaves bits for the fractions of large
 * rates
 * @param debtMax lower bound for tokens
 */
export function createSharedBuckets<Name extends string | number>(
  words: BigInt64Array,
  baseMs: number,
  debtMax = DEBT_MAX,
): Buckets<Name> {
  const table = createSharedTable(words, (state) =>
    state === NO_STATE ? Number.NEGATIVE_INFINITY : numberOf(state),
  );
  const seed = BigInt(Math.floor(baseMs));
  const keyOf = (name: Name): bigint => {
    const hash = BigInt.asIntN(64, BigInt(Bun.hash.wyhash(String(name), seed)));
    return hash === 0n ? 1n : hash;
  };

  function bucketOf(state: bigint, perSecond: number, nowMs: number): Bucket | null {
    if (state === NO_STATE) return null;
    const emptyForMs = nowMs - baseMs - numberOf(state);
    const tokens = (emptyForMs / 1000) * perSecond;
    // Only a clock that was ahead leaves a larger debt than callers can: it counts for nothing.
    if (tokens < -2 * debtMax) return null;
    const whole = Math.round(tokens);
    const isWhole = Math.abs(tokens - whole) < ROUNDING;
    return { tokens: Math.max(-debtMax, isWhole ? whole : tokens), updatedAtMs: nowMs };
  }

  return {
    peek: (name, perSecond, nowMs) => bucketOf(table.read(keyOf(name)), perSecond, nowMs),
    change(name, perSecond, nowMs, take) {
      let verdict: ReturnType<typeof take> | null = null;
      table.change(keyOf(name), (state) => {
        verdict = take(bucketOf(state, perSecond, nowMs));
        const { tokens, updatedAtMs } = verdict.bucket;
        return wordOf(updatedAtMs - baseMs - (tokens / perSecond) * 1000);
      });
      return verdict as unknown as ReturnType<typeof take>;
    },
  };
}

/** MCP protocol messages per second for each organization, and the burst. */
export const MESSAGES_PER_SECOND = 20;
const MESSAGES_BURST = 60;
/** How long a tool call may wait for the plan's rate, and how many of an organization may wait at once. */
const WAIT_MS_MAX = 2_000;
const WAITING_MAX = 10;

export type Rates = ReturnType<typeof createRates>;

export interface RateBuckets {
  requests: Buckets<number>;
  messages: Buckets<number>;
}

function ownRateBuckets(): RateBuckets {
  return { requests: createBuckets(), messages: createBuckets() };
}

/** The part of each organization's rate that this machine may use, where several serve the same customers. */
export interface RateShares {
  /** Counts a request. @returns requests per second that may be answered here, of `perSecond` in all */
  ask(organizationId: number, perSecond: number): number;
  /** Counts a request that was allowed. */
  noteTaken(organizationId: number): void;
  peek(organizationId: number, perSecond: number): number;
}

/** A process whose customers ask nowhere else. */
export const ALONE: RateShares = {
  ask: (_, perSecond) => perSecond,
  noteTaken() {},
  peek: (_, perSecond) => perSecond,
};

/** A share's burst: it may be less than one request a second, but whole ones are taken. */
const burstOf = (share: number): number => Math.max(1, share);

/** A share is corrected each second, so that longer waits than a few corrections say nothing. */
const SHARED_WAIT_MAX_S = 3;
const withinShares = (verdict: RateVerdict): RateVerdict => ({
  ...verdict,
  resetS: Math.min(verdict.resetS, SHARED_WAIT_MAX_S),
  retryAfterS: Math.min(verdict.retryAfterS, SHARED_WAIT_MAX_S),
});

/** Rates of each organization; workers that share the buckets share the rate. */
export function createRates(
  clock: Pick<Clock, "sleep">,
  buckets: RateBuckets = ownRateBuckets(),
  shares: RateShares = ALONE,
) {
  const { requests, messages } = buckets;

  function takeShare(
    organizationId: number,
    perSecond: number,
    nowMs: number,
    waitMsMax: (bucket: Bucket | null, share: number) => number,
  ): RateVerdict {
    const share = shares.ask(organizationId, perSecond);
    const verdict = requests.change(organizationId, share, nowMs, (bucket) =>
      takeToken(bucket, share, nowMs, burstOf(share), waitMsMax(bucket, share)),
    );
    if (verdict.allowed) shares.noteTaken(organizationId);
    return share < perSecond ? withinShares(verdict) : verdict;
  }

  return {
    take: (organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict =>
      takeShare(organizationId, requestsPerSecond, nowMs, () => 0),

    /**
     * The same for a request that may wait: if allowed, it must `wait` for its `waitMs`. Every waiting
     * request has taken a token below 0, so the bucket shows how many are waiting.
     */
    takeSoon: (organizationId: number, requestsPerSecond: number, nowMs: number): RateVerdict =>
      takeShare(organizationId, requestsPerSecond, nowMs, (bucket, share) => {
        const tokens = tokensAt(bucket, share, nowMs, burstOf(share));
        return Math.ceil(-tokens - ROUNDING) < WAITING_MAX ? WAIT_MS_MAX : 0;
      }),

    wait: (waitMs: number): Promise<void> => clock.sleep(waitMs),

    peek(organizationId: number, requestsPerSecond: number, nowMs: number) {
      const share = shares.peek(organizationId, requestsPerSecond);
      return peekTokens(requests.peek(organizationId, share, nowMs), share, nowMs);
    },

    takeMessage: (organizationId: number, nowMs: number): RateVerdict =>
      messages.change(organizationId, MESSAGES_PER_SECOND, nowMs, (bucket) =>
        takeToken(bucket, MESSAGES_PER_SECOND, nowMs, MESSAGES_BURST),
      ),
  };
}
