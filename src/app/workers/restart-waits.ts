/** A worker that lived so long was well: its next restart waits as the first one does. */
const WELL_AFTER_MS = 60_000;
const FIRST_MS = 500;
const MAX_MS = 30_000;

/**
 * How long to wait before a worker is started again: not at all at first, then twice as long each time
 * it ends soon after its start, up to half a minute.
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
