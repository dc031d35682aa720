import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";

/**
 * Pages that are made at once: each takes the main thread for some milliseconds, which customers' requests that come
 * meanwhile wait.
 */
const AT_ONCE = 2;
/** Beyond that, a crawler is told to come back. */
const WAITING_MAX = 64;
const RETRY_AFTER_S = 5;

/** Makes public pages in turn. */
export function createPageTurns() {
  let running = 0;
  const waiting: (() => void)[] = [];

  /** @throws AppError `throttled` if too many wait */
  return async <Page>(make: () => Promise<Page>): Promise<Page> => {
    if (waiting.length >= WAITING_MAX) {
      throw new AppError("throttled", message("addressThrottled"), { retryAfterS: RETRY_AFTER_S });
    }
    if (running >= AT_ONCE) await new Promise<void>((begin) => waiting.push(begin));
    else running += 1;
    try {
      return await make();
    } finally {
      // The next one takes over the place.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
