/** Shorter than this, a period tells nothing about its pace. */
const KNOWN_AFTER_MS = 60 * 60 * 1000;

/**
 * When the quota of a period is used up, at the pace of the period so far.
 * @returns epoch milliseconds; `lasts`: not before the period's end; `unknown`: nothing tells yet
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
