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

export function peekTokens(
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
