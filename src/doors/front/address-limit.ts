import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";

/** An answer that does not state its length counts as so many bytes: a page, and the work of making it. */
const USUAL_BYTES = 4_096;
const KIB = 1024;

export interface AddressLimitContext {
  /** Names of the limits for a client's networks. */
  namesOf(request: Request): readonly string[];
  throttle: {
    take(names: readonly string[], nowMs: number): number | null;
    spend(names: readonly string[], count: number, nowMs: number): void;
  };
  now(): number;
}

/**
 * Limits what is answered to one address, in KiB: whoever asks for large files as fast as they can must not
 * take the time that callers with keys wait for.
 */
export type AddressLimit = ReturnType<typeof createAddressLimit>;

export function createAddressLimit({ namesOf, throttle, now }: AddressLimitContext) {
  return {
    /** Null as long as the address has something left. */
    refusal(request: Request): AppError | null {
      const retryAfterS = throttle.take(namesOf(request), now());
      if (retryAfterS === null) return null;
      return new AppError("throttled", message("addressThrottled"), { retryAfterS });
    },

    charge(request: Request, { headers }: Response): void {
      const bytes = Number(headers.get("content-length") ?? USUAL_BYTES);
      throttle.spend(namesOf(request), Math.ceil(bytes / KIB), now());
    },
  };
}
