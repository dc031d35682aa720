import { pageError } from "../forms/faults.ts";
import { fromNow } from "../look/formats.ts";
import { useSite, useVisit } from "../visit/use-visit.ts";

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
