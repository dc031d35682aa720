import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

/** How often an outage that goes on is told in the log. */
const SAY_AGAIN_AFTER_MS = 60_000;
/** A commit that failed makes the process unready for so long, whatever the others do. */
const UNREADY_MS = 10_000;

const UNREADY = "Usage cannot be committed: requests that cost are answered 503.";

/**
 * Watches commits of usage that fail. The log tells when that begins, at most once a minute while it
 * goes on, and when it ends. Each billed request makes a commit.
 */
export function createCommitOutage(clock: Clock, log: Log) {
  let outage: { beganMs: number; saidMs: number; failures: number } | null = null;
  let lastFailureMs = Number.NEGATIVE_INFINITY;
  let trying: Promise<string | null> | null = null;

  function worked(): void {
    if (outage === null) return;
    const { beganMs, failures } = outage;
    outage = null;
    const durationMs = Math.round(clock.monotonic() - beganMs);
    log.info({ failures, durationMs }, "usage is committed again");
  }

  return {
    failed(error: unknown): void {
      const nowMs = clock.monotonic();
      lastFailureMs = nowMs;
      if (outage === null) {
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
     * Why requests should be sent elsewhere, or null. Where none come any more, another commit says
     * whether the outage is over: else nothing would ever end it.
     * @param tryCommit commits something that is written
     */
    async check(tryCommit: () => Promise<unknown>): Promise<string | null> {
      if (clock.monotonic() - lastFailureMs < UNREADY_MS) return UNREADY;
      if (outage === null) return null;
      // Anybody may ask, and all who ask meanwhile share one.
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
