import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** Of an outage that goes on. */
const SAY_AGAIN_AFTER_MS = 60_000;

/**
 * Tells of commits of usage that fail: when that begins, at most once a minute while it goes on, and
 * when it ends. Each billed request makes a commit.
 */
export function createCommitOutage(clock: Clock, log: Log) {
  let outage: { beganMs: number; saidMs: number; failures: number } | null = null;

  return {
    failed(error: unknown): void {
      const nowMs = clock.monotonic();
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

    worked(): void {
      if (outage === null) return;
      const { beganMs, failures } = outage;
      outage = null;
      const durationMs = Math.round(clock.monotonic() - beganMs);
      log.info({ failures, durationMs }, "usage is committed again");
    },
  };
}
