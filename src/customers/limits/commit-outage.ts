import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

/** Minimum interval between log lines about a continuing outage. */
const LOG_AGAIN_MS = 60_000;
/** How long each failed commit of a repeated outage keeps the process unready, whatever follows. */
const UNREADY_MS = 10_000;
/**
 * An outage counts as repeated if it follows another within this time. Otherwise storage that fails
 * intermittently would make the process alternate between ready and unready.
 */
const FOLLOWS_MS = 60_000;

const UNREADY = "Usage cannot be committed: requests that cost are answered 503.";

/**
 * Watches for failing commits of usage, which every billed request waits for. Logs when an outage begins,
 * at most once a minute while it continues, and when it ends.
 */
export function createCommitOutage(clock: Clock, log: Log) {
  let outage: { beganMs: number; loggedMs: number; failures: number } | null = null;
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
        outage = { beganMs: nowMs, loggedMs: nowMs, failures: 1 };
        log.warn({ err: error }, "usage could not be committed");
        return;
      }
      outage.failures += 1;
      if (nowMs - outage.loggedMs < LOG_AGAIN_MS) return;
      outage.loggedMs = nowMs;
      log.warn({ failures: outage.failures }, "usage still cannot be committed");
    },

    worked,

    /**
     * Why requests should be sent elsewhere, or null. Once they are, no request commits anything here, so a
     * commit is tried instead: otherwise the outage would never end.
     * @param tryCommit commits a write
     */
    async check(tryCommit: () => Promise<unknown>): Promise<string | null> {
      if (isRepeated && clock.monotonic() - lastFailureMs < UNREADY_MS) return UNREADY;
      if (outage === null) return null;
      // Shared by everybody who asks while it is in progress.
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
