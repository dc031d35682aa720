import type { Buckets } from "../../../customers/limits/rates.ts";
import { createSharedBuckets, takeToken, tokensAt } from "../../../customers/limits/rates.ts";
import { wordsOfTable } from "../../../values/claims.ts";
import { pageError } from "../forms/faults.ts";
import { fromNow } from "../look/shown.tsx";
import { useSite, useVisit } from "../visit/visit.ts";

/**
 * Limits by the first word of a name: attempts in a burst, and the seconds after which one is regained. None
 * is of all callers together, because strangers could use it up for everybody.
 */
const LIMITS: Record<string, { burst: number; secondsEach: number }> = {
  // Regained faster than for a network, so that a single network cannot keep an account locked.
  account: { burst: 10, secondsEach: 5 },
  // Forms of an organization, or of a person without one: each may add rows that are kept for years.
  change: { burst: 300, secondsEach: 1 },
  // Requests for another plan, each of which is told to the operator's programs: at most 20 in a day.
  "plan-request": { burst: 10, secondsEach: 8_640 },
  // Keys that an organization's people and assistants create; ended ones are kept for more than a year.
  key: { burst: 50, secondsEach: 360 },
  // At most 30 in any hour: this burst, and 10 more.
  inviter: { burst: 20, secondsEach: 360 },
  // At most 20 in any hour, in the same way.
  registration: { burst: 10, secondsEach: 360 },
  // Each registers a client, from the appliance's own network.
  "connection-test": { burst: 5, secondsEach: 60 },
  // At most 10 in any hour, in the same way.
  "sign-up": { burst: 5, secondsEach: 720 },
  // Mails to one address, whoever asks for them.
  mail: { burst: 3, secondsEach: 1200 },
  // Files with a thousand cards or ten years of days.
  download: { burst: 10, secondsEach: 15 },
  // Invalid requests only: valid refreshes come hourly from many assistants behind one network.
  token: { burst: 60, secondsEach: 1 },
  // Valid requests too, because each writes.
  exchange: { burst: 600, secondsEach: 1 },
  // KiB of answers that no key limits: the API's reference is some 500 of them, compressed.
  answers: { burst: 8_192, secondsEach: 1 / 1024 },
};
const USUAL_LIMIT = { burst: 10, secondsEach: 30 };
/** A /48 may do as much as so many of its addresses: one subscriber may have all of it. */
const ADDRESSES_OF_SITE = 10;
/**
 * Names to remember, in 256 KB. Where a new one finds no place, one that has nearly all of its attempts is
 * forgotten first, so that nobody gets a used-up limit forgotten by making up names.
 */
const NAMES_MAX = 16_384;

function limitOf(name: string): { burst: number; perSecond: number } {
  const { burst, secondsEach } = LIMITS[name.slice(0, name.indexOf(" "))] ?? USUAL_LIMIT;
  const times = name.endsWith("/48") ? ADDRESSES_OF_SITE : 1;
  return { burst: burst * times, perSecond: times / secondsEach };
}

export type Throttle = ReturnType<typeof createThrottle>;

/** Memory for the limits of a process without workers. */
export function throttleBuckets(baseMs: number): Buckets<string> {
  return createSharedBuckets(new BigInt64Array(wordsOfTable(NAMES_MAX)), baseMs);
}

/**
 * Limits sign-ins, invitations, registrations and changes, by who makes them and whom they reach.
 * @param buckets shared by all workers
 */
export function createThrottle(buckets: Buckets<string>) {
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
     * Takes as many as something cost, as far as the name has them.
     * @returns milliseconds until it has made up for all of them and has one again; 0 if it has
     */
    spend(name: string, count: number, nowMs: number): number {
      const { burst, perSecond } = limitOf(name);
      let left = 0;
      buckets.change(name, perSecond, nowMs, (bucket) => {
        left = tokensAt(bucket, perSecond, nowMs, burst) - count;
        return { bucket: { tokens: Math.max(0, left), updatedAtMs: nowMs } };
      });
      return Math.max(0, ((1 - left) / perSecond) * 1000);
    },

    /** How many attempts of a name are used up at present. */
    taken(name: string, nowMs: number): number {
      const { burst, perSecond } = limitOf(name);
      const bucket = buckets.peek(name, perSecond, nowMs);
      return Math.ceil(burst - tokensAt(bucket, perSecond, nowMs, burst));
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

/**
 * Takes one attempt for each name.
 * @param messageOf message saying that there were too many, and when to try again
 * @throws AppError `throttled` if a name has none left
 */
export function requireTurn(
  names: readonly string[],
  messageOf: (when: string) => string = useVisit().words.tooManyAttempts,
): void {
  const { nowMs, words } = useVisit();
  const waitS = useSite().throttle.take(names, nowMs);
  if (waitS === null) return;
  throw pageError("throttled", messageOf(fromNow(words.locale, waitS)), waitS);
}
