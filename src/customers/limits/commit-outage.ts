import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

/** How often an outage that goes on is told in the log. */
const SAY_AGAIN_AFTER_MS = 60_000;
/** How long each failed commit of a repeated outage makes the process unready, even if later ones succeed. */
const UNREADY_MS = 10_000;
/**
 * How soon after another one an outage counts as repeated: else a storage that fails now and then would make
 * the process ready by turns.
 */
const FOLLOWS_MS = 60_000;

const UNREADY = "Usage cannot be committed: requests that cost are answered 503.";

/**
 * Watches for commits of usage that fail; each billed request waits for one. The log tells when an outage
 * begins, at most once a minute while it goes on, and when it ends.
 */
export function createCommitOutage(clock: Clock, log: Log) {
  let outage: { beganMs: number; saidMs: number; failures: number } | null = null;
  let lastEndMs = Number.NEGATIVE_INFINITY;
  let isRepeated = false;
  let lastFailureMs = Number.NEGATIVE_INFINITY;
  let trying: Promise<string | null> | null = null;

  function worked(): void {
    if (outage === null) return;
    const { beganMs, failures } = outage;
    outage = null;
    lastEndMs = clock.monotonic();
    const durationMs = Math.round(lastEndMs - beganMs);
    log.info({ failures, durationMs }, "usage is committed again");
  }

  return {
    failed(error: unknown): void {
      const nowMs = clock.monotonic();
      lastFailureMs = nowMs;
      if (outage === null) {
        isRepeated = nowMs - lastEndMs < FOLLOWS_MS;
        outage = { beganMs: nowMs, saidMs: nowMs, failures: 1 };
        log.warn({ err: error }, "usage could not be committed");
        return;
      }
      outage.failures += 1;
      if (nowMs - outage.saidMs < SAY_AGAIN_AFTER_MS) return;
      outage.saidMs = nowMs;
      log.warn({ failures: outage.failures }, "usage still cannot be committed");
    },

    worked,

    /**
     * Why requests should be sent elsewhere, or null. Once they are, no request makes a commit any more,
     * so a commit is tried here: otherwise the outage would never end.
     * @param tryCommit commits something that is written
     */
    async check(tryCommit: () => Promise<unknown>): Promise<string | null> {
      if (isRepeated && clock.monotonic() - lastFailureMs < UNREADY_MS) return UNREADY;
      if (outage === null) return null;
      // All who ask while a try is under way share it.
      trying ??= tryCommit()
        .then(
          () => {
            worked();
            return null;
          },
          () => UNREADY,
        )
        .finally(() => {
          trying = null;
        });
      return trying;
    },
  };
}
