/** Limit for a load that is never ended. */
export const SENT_MAX = 1_000_000;

/** Counts an outcome: a status, or how a request ended without one. */
export type Note = (outcome: string | number) => void;

/** Waits, but not longer than the load lasts. */
export function pause(durationMs: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (durationMs <= 0 || over.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      over.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    over.addEventListener("abort", end);
  });
}
