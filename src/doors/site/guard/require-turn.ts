import { pageError } from "../forms/faults.ts";
import { fromNow } from "../look/formats.ts";
import type { SiteContext } from "../site-context.ts";
import type { Visit } from "../visit/visit.ts";

/**
 * Takes one attempt for each name.
 * @param messageOf message saying that there were too many, and when to try again
 * @throws AppError `throttled` if a name has none left
 */
export function requireTurn(
  visit: Visit,
  { throttle }: Pick<SiteContext, "throttle">,
  names: readonly string[],
  messageOf: (when: string) => string = visit.words.tooManyAttempts,
): void {
  const waitS = throttle.take(names, visit.nowMs);
  if (waitS === null) return;
  throw pageError("throttled", messageOf(fromNow(visit.words.locale, waitS)), waitS);
}
