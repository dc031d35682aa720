/**
 * When the next attempt is due after a failure: after each of the ladder's waits in turn, then never.
 * @param failures number of failures so far, including this one
 * @param waitsMs the waits after the first failure, the second, and so on
 */
export function nextAttemptAt(
  failedAtMs: number,
  failures: number,
  waitsMs: readonly number[],
): number | null {
  const waitMs = waitsMs[failures - 1];
  return waitMs === undefined ? null : failedAtMs + waitMs;
}
