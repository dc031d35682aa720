import { type Buckets, createBuckets } from "../../../customers/limits/buckets.ts";
import { takeToken, tokensAt } from "../../../customers/limits/rate-bucket.ts";

/** Limits by the first word of a name: tries in a burst, and the seconds after which one comes back. */
const LIMITS: Record<string, { burst: number; secondsEach: number }> = {
  // Faster for an account than for an address, so that one address alone cannot keep an account shut.
  account: { burst: 10, secondsEach: 5 },
  // 30 in any hour at the most: these at once, and 10 more in it.
  inviter: { burst: 20, secondsEach: 360 },
  // 20 in any hour at the most, in the same way.
  registration: { burst: 10, secondsEach: 360 },
  // Registrations of all networks together: one subscriber may have thousands.
  registrations: { burst: 200, secondsEach: 5 },
  // 10 in any hour at the most, in the same way.
  "sign-up": { burst: 5, secondsEach: 720 },
  // Sign-ups of all networks together: each sends a mail.
  "sign-ups": { burst: 100, secondsEach: 20 },
  // Mails to one address, whoever asks for them.
  "sign-up-mail": { burst: 3, secondsEach: 3600 },
  // Files of a thousand cards or ten years of days.
  download: { burst: 10, secondsEach: 15 },
  // Wrong requests only: refresh tokens come every hour, from many assistants behind one network.
  token: { burst: 60, secondsEach: 1 },
  // Right ones too: each writes.
  exchange: { burst: 600, secondsEach: 1 },
};
const USUAL_LIMIT = { burst: 10, secondsEach: 30 };
/** How many names are remembered; the one seen the longest ago is forgotten first. */
const NAMES_MAX = 10_000;

function limitOf(name: string): { burst: number; secondsEach: number } {
  return LIMITS[name.split(" ")[0] ?? ""] ?? USUAL_LIMIT;
}

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * Limits sign-ins, invitations and registrations, by who makes them and whom they reach.
 * @param buckets those of all workers, where there are several
 */
export function createThrottle(buckets: Buckets<string> = createBuckets(NAMES_MAX)) {
  return {
    /**
     * Takes one try of each name in turn, up to the first that has none left. The names behind it
     * lose nothing, so that somebody whose network is refused cannot lock an account.
     * @returns the seconds until that one has a try again; null where each had one
     */
    take(names: readonly string[], nowMs: number): number | null {
      for (const name of names) {
        const { burst, secondsEach } = limitOf(name);
        const perSecond = 1 / secondsEach;
        const { allowed, retryAfterS } = buckets.change(name, perSecond, nowMs, (bucket) =>
          takeToken(bucket, perSecond, nowMs, burst),
        );
        if (!allowed) return retryAfterS;
      }
      return null;
    },

    /** Gives back a try that is not to count, such as a sign-in that succeeded: many people may share one network. */
    giveBack(name: string, nowMs: number): void {
      const { burst, secondsEach } = limitOf(name);
      const perSecond = 1 / secondsEach;
      buckets.change(name, perSecond, nowMs, (bucket) => {
        const tokens = Math.min(burst, tokensAt(bucket, perSecond, nowMs, burst) + 1);
        return { bucket: { tokens, updatedAtMs: nowMs } };
      });
    },
  };
}
