/** A period's pace is unknown until this much of it has passed. */
const KNOWN_AFTER_MS = 60 * 60 * 1000;

/**
 * When a period's quota will be used up at its pace so far.
 * @returns epoch milliseconds; `lasts` if not before the period's end; `unknown` if it is too early to tell
 */
export function quotaEnd(
  { startedAt, endsAt, used }: { startedAt: number; endsAt: number; used: number },
  quota: number,
  nowMs: number,
): number | "lasts" | "unknown" {
  const elapsedMs = nowMs - startedAt;
  if (used >= quota) return nowMs;
  if (elapsedMs < KNOWN_AFTER_MS || used === 0) return "unknown";
  const end = startedAt + Math.round((quota / used) * elapsedMs);
  return end < endsAt ? end : "lasts";
}
