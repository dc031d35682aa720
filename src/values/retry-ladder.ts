/**
 * When the next attempt is due after a failure: the ladder's waits in their order, then never.
 * @param failures how many there were so far, this one included
 * @param waitsMs the wait after the first failure, after the second, and so on
 */
export function nextAttemptAt(
  failedAtMs: number,
  failures: number,
  waitsMs: readonly number[],
): number | null {
  const waitMs = waitsMs[failures - 1];
  return waitMs === undefined ? null : failedAtMs + waitMs;
}
