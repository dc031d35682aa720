/**
 * A token bucket: one second's worth of requests at most, refilled
 * continuously. Pure: the caller keeps the state.
 */
export interface Bucket {
  tokens: number;
  updatedAtMs: number;
}

export interface RateVerdict {
  allowed: boolean;
  bucket: Bucket;
  /** Whole requests left at once. */
  remaining: number;
  /** Seconds, rounded up, until the bucket is full again. */
  resetS: number;
  /** Seconds, rounded up and at least 1, until a refused request is worth another try. */
  retryAfterS: number;
}

/** @param bucket null for one that was never used, which is full */
export function takeToken(
  bucket: Bucket | null,
  requestsPerSecond: number,
  nowMs: number,
): RateVerdict {
  // A clock that went back refills nothing, and goes on from where it is.
  const elapsedMs = bucket === null ? 0 : Math.max(0, nowMs - bucket.updatedAtMs);
  const before = bucket?.tokens ?? requestsPerSecond;
  const filled = Math.min(requestsPerSecond, before + (elapsedMs / 1000) * requestsPerSecond);
  const allowed = filled >= 1;
  const tokens = allowed ? filled - 1 : filled;
  return {
    allowed,
    bucket: { tokens, updatedAtMs: nowMs },
    remaining: Math.floor(tokens),
    resetS: Math.ceil((requestsPerSecond - tokens) / requestsPerSecond),
    retryAfterS: Math.max(1, Math.ceil((1 - tokens) / requestsPerSecond)),
  };
}
