import { givenUp } from "../../db/with-deadline.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { FILE_MAX_MS, LEAST_RATE } from "../../ports/own-work.ts";
import { message } from "../../values/messages/messages.ts";

/**
 * Watches a file being sent: it must be taken at the least rate, and within an hour, or it would keep one of
 * the few places for exports for as long as its reader likes.
 */
export function createPace(clock: Pick<Clock, "monotonic">) {
  const endAtMs = clock.monotonic() + FILE_MAX_MS;
  let tookMs = 0;
  let bytes = 0;
  return {
    /**
     * Called when a piece was taken.
     * @param sinceMs when it was offered, by the monotonic clock
     * @returns why nothing more is sent; null if the next piece may be
     */
    taken(byteLength: number, sinceMs: number): AppError | null {
      const nowMs = clock.monotonic();
      if (nowMs >= endAtMs) return givenUp(FILE_MAX_MS);
      tookMs += nowMs - sinceMs;
      bytes += byteLength;
      if (tookMs < LEAST_RATE.overMs) return null;
      const { kilobytesPerS } = LEAST_RATE;
      if (bytes < (kilobytesPerS * 1024 * tookMs) / 1000) {
        return new AppError("timeout", message("readTooSlowly"));
      }
      [tookMs, bytes] = [0, 0];
      return null;
    },
  };
}
