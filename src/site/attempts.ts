import { type Bucket, takeToken } from "../limits/rate-bucket.ts";

/**
 * Attempts in a burst, and how fast they come back: one in so many seconds. Faster for an account
 * than for an address, so that one address alone cannot keep an account shut.
 */
const BURST = 10;
const SECONDS_EACH = { address: 30, account: 5 };
/** Names that are remembered; the oldest are forgotten. */
const NAMES_MAX = 10_000;

export type Attempts = ReturnType<typeof createAttempts>;

/** Attempts to sign in, limited by the visitor's address and by the account, in this process. */
export function createAttempts() {
  const buckets = new Map<string, Bucket>();
  return {
    /**
     * False where one of the names has had too many; those behind it lose nothing then, so that who
     * is refused by their address cannot lock an account.
     */
    take(names: readonly string[], nowMs: number): boolean {
      let isAllowed = true;
      for (const name of names) {
        const seconds = name.startsWith("account ") ? SECONDS_EACH.account : SECONDS_EACH.address;
        // The bucket's unit is a second's worth: time is stretched so that one comes in so many.
        const verdict = takeToken(buckets.get(name) ?? null, BURST, nowMs / (BURST * seconds));
        buckets.delete(name);
        buckets.set(name, verdict.bucket);
        isAllowed = verdict.allowed;
        if (!isAllowed) break;
      }
      for (const oldest of buckets.keys()) {
        if (buckets.size <= NAMES_MAX) break;
        buckets.delete(oldest);
      }
      return isAllowed;
    },
  };
}
