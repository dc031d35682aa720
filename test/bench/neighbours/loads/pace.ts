/** Stops a load that nobody ends. */
export const SENT_MAX = 1_000_000;

/** Counts an outcome: a status, or how it ended without one. */
export type Note = (outcome: string | number) => void;

/** Waits; it ends sooner where the load is over. */
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
