import { type Buckets, createBuckets } from "../../../customers/limits/buckets.ts";
import { takeToken, tokensAt } from "../../../customers/limits/rate-bucket.ts";

/** Limits by the first word of a name: attempts in a burst, and the seconds after which one is regained. */
const LIMITS: Record<string, { burst: number; secondsEach: number }> = {
  // Regained faster than for a network, so that a single network cannot keep an account locked.
  account: { burst: 10, secondsEach: 5 },
  // At most 30 in any hour: this burst, and 10 more.
  inviter: { burst: 20, secondsEach: 360 },
  // At most 20 in any hour, in the same way.
  registration: { burst: 10, secondsEach: 360 },
  // Registrations of all networks together, because one subscriber may have thousands of networks.
  registrations: { burst: 200, secondsEach: 5 },
  // At most 10 in any hour, in the same way.
  "sign-up": { burst: 5, secondsEach: 720 },
  // Sign-ups of all networks together, because each sends a mail.
  "sign-ups": { burst: 100, secondsEach: 20 },
  // Mails to one address, whoever requests them.
  "sign-up-mail": { burst: 3, secondsEach: 3600 },
  // Files with a thousand cards or ten years of days.
  download: { burst: 10, secondsEach: 15 },
  // Invalid requests only: valid refreshes come hourly from many assistants behind one network.
  token: { burst: 60, secondsEach: 1 },
  // Valid requests too, because each writes.
  exchange: { burst: 600, secondsEach: 1 },
};
const USUAL_LIMIT = { burst: 10, secondsEach: 30 };
/** Most names to remember; the one unused for longest is dropped first. */
const NAMES_MAX = 10_000;

function limitOf(name: string): { burst: number; perSecond: number } {
  const { burst, secondsEach } = LIMITS[name.split(" ")[0] ?? ""] ?? USUAL_LIMIT;
  return { burst, perSecond: 1 / secondsEach };
}

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * Limits sign-ins, invitations and registrations, by who makes them and whom they reach.
 * @param buckets shared by all workers
 */
export function createThrottle(buckets: Buckets<string> = createBuckets(NAMES_MAX)) {
  return {
    /**
     * Takes one attempt for each name in turn, up to the first that has none left. Later names lose
     * nothing, so that somebody whose network is refused cannot lock an account.
     * @returns seconds until that name regains an attempt; null if all had one
     */
    take(names: readonly string[], nowMs: number): number | null {
      for (const name of names) {
        const { burst, perSecond } = limitOf(name);
        const { allowed, retryAfterS } = buckets.change(name, perSecond, nowMs, (bucket) =>
          takeToken(bucket, perSecond, nowMs, burst),
        );
        if (!allowed) return retryAfterS;
      }
      return null;
    },

    /**
     * Returns an attempt that should not count, such as a successful sign-in, because many people may share
     * a network.
     */
    giveBack(name: string, nowMs: number): void {
      const { burst, perSecond } = limitOf(name);
      buckets.change(name, perSecond, nowMs, (bucket) => {
        const tokens = Math.min(burst, tokensAt(bucket, perSecond, nowMs, burst) + 1);
        return { bucket: { tokens, updatedAtMs: nowMs } };
      });
    },
  };
}
