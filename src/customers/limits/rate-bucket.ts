/**
 * A token bucket: one second's worth of requests at most, refilled continuously. Pure: the caller keeps the
 * state.
 */
export interface Bucket {
  /** Below 0 where requests wait, each for a token that is its own already. */
  tokens: number;
  updatedAtMs: number;
}

export interface RateVerdict {
  allowed: boolean;
  bucket: Bucket;
  /** Milliseconds that an allowed request has to wait for its token. */
  waitMs: number;
  /** Whole requests left at once. */
  remaining: number;
  /** Seconds, rounded up, until the bucket is full again. */
  resetS: number;
  /** Seconds, rounded up and at least 1, until a refused request is worth another try. */
  retryAfterS: number;
}

/**
 * Takes a token, or says when it is worth another try.
 * @param bucket null for one that was never used, which is full
 * @param burst tokens of a full bucket
 * @param waitMsMax how long the request may wait for a token that is not there yet
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

/** Tokens of a bucket, with nothing taken. */
export function lookAtTokens(
  bucket: Bucket | null,
  requestsPerSecond: number,
  nowMs: number,
): Pick<RateVerdict, "remaining" | "resetS"> {
  const tokens = tokensAt(bucket, requestsPerSecond, nowMs, requestsPerSecond);
  return {
    remaining: Math.max(0, Math.floor(tokens)),
    resetS: Math.ceil((requestsPerSecond - tokens) / requestsPerSecond),
  };
}

/** Tokens that a bucket has by an instant; below 0 where requests wait. */
export function tokensAt(
  bucket: Bucket | null,
  requestsPerSecond: number,
  nowMs: number,
  burst: number,
): number {
  if (bucket === null) return burst;
  // A clock that went back refills nothing, and goes on from where it is.
  const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs);
  return Math.min(burst, bucket.tokens + (elapsedMs / 1000) * requestsPerSecond);
}
