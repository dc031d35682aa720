/** A worker that lived this long was healthy, so its next restart starts the back-off anew. */
const WELL_AFTER_MS = 60_000;
const FIRST_MS = 500;
const MAX_MS = 30_000;

/**
 * Back-off before a worker is restarted: none at first, then doubled whenever the worker ends soon after
 * its start, up to half a minute.
 */
export function createRestartWaits(): (livedMs: number) => number {
  let nextMs = 0;
  return (livedMs) => {
    if (livedMs >= WELL_AFTER_MS) nextMs = 0;
    const waitMs = nextMs;
    nextMs = Math.min(MAX_MS, Math.max(FIRST_MS, 2 * nextMs));
    return waitMs;
  };
}
