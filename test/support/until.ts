/**
 * Time limit that only guards against hanging forever: far above what a busy machine needs, but below a
 * test's own limit, so that the error names what did not happen.
 */
export const HANGS_AFTER_MS = 240_000;

/** Pauses between two checks; shorter ones would take a core from the processes under test. */
const LOOK_AGAIN_MS = { first: 2, most: 25 };

/** Waits for a condition that another process fulfills. @param what names it if that never happens */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = "it",
): Promise<void> {
  const giveUpAtMs = performance.now() + HANGS_AFTER_MS;
  let pauseMs = LOOK_AGAIN_MS.first;
  while (!(await holds())) {
    if (performance.now() > giveUpAtMs) {
      throw new Error(`${typeof what === "string" ? what : what()} did not come about`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(1.25 * pauseMs, LOOK_AGAIN_MS.most);
  }
}
