import { uptime } from "node:os";
import type { Log } from "./log.ts";

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary origin, never backwards. For durations and deadlines. */
  monotonic(): number;
  /** Milliseconds since the machine's boot, to a second; unlike `monotonic`, they count while it sleeps. */
  sinceBoot(): number;
  /** Milliseconds of processor time that the calling thread has taken. */
  processor(): number;
  /** Runs work after this turn's requests and messages from threads. */
  endOfTurn(work: () => void): void;
  /** Calls `work` once after a time, unless it is cancelled before. @returns cancels it */
  after(durationMs: number, work: () => void): () => void;
  /** @param signal ends the wait early; also if it is already aborted */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
  processor() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
  endOfTurn: (work) => void setImmediate(work),
  after(durationMs, work) {
    const timer = setTimeout(work, durationMs);
    return () => clearTimeout(timer);
  },
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        // The signal may outlive many waits, for instance those of a loop that runs until the process
        // stops.
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, durationMs);
      signal?.addEventListener("abort", end);
      if (signal?.aborted === true) end();
    }),
};

/**
 * Settles with the work's result, or fails after a maximum time. Uses the system's clock, since it waits
 * for something outside the process.
 * @param late called if the time is over, for the error to fail with; the work itself continues
 */
export function inTime<T>(work: Promise<T>, maxMs: number, late: () => Error): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(late()), maxMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

/** A smaller step is a correction, as time services make them, and taken over. */
const STEP_MAX_MS = 60_000;
/** A step that is worth a line in the log; the time since the boot is known to a second only. */
const LOGGED_MS = 2_000;
/** While the clock keeps pace with the monotonic one, nothing else is asked. */
const PACE_MS = 1_000;

/**
 * Compares the machine's clock with the time since its boot, which nobody can set and in which its sleep
 * counts. After a jump of a minute or more nobody here can know which of the two is right, so the clock
 * counts as wrong until it returns, or until the appliance is restarted, which is the operator's word that
 * it is right. Looking takes less than a microsecond and is done before each use, so a jump is noticed
 * before anything is judged by it.
 * @param bootedAt when the machine booted, by a clock that was right: a worker that is started after a jump
 * must not trust the clock either; epoch milliseconds
 */
export function createClockWatch(
  clock: Pick<Clock, "now" | "monotonic" | "sinceBoot">,
  log: Log,
  bootedAt = clock.now() - clock.sinceBoot(),
) {
  /** As of the last comparison at which the clock was right. */
  let rightBootedAt = bootedAt;
  /** The clock minus the monotonic one, at the last comparison. */
  let pace = Number.NaN;
  /** What is wrong; null while the clock is right. */
  let fault: string | null = null;

  function compare(): void {
    pace = clock.now() - clock.monotonic();
    const jumpMs = clock.now() - clock.sinceBoot() - rightBootedAt;
    if (Math.abs(jumpMs) < STEP_MAX_MS) {
      rightBootedAt += jumpMs;
      if (fault !== null) log.info({}, "the clock is right again");
      else if (Math.abs(jumpMs) >= LOGGED_MS) log.warn({ jumpMs }, "the clock was corrected");
      fault = null;
    } else if (fault === null) {
      fault = faultOf(jumpMs);
      log.error({ jumpMs: Math.round(jumpMs) }, "the clock jumped: keys are not accepted");
    }
  }

  return {
    /** @returns what is wrong with the clock, or null */
    look(): string | null {
      const isPaced = Math.abs(clock.now() - clock.monotonic() - pace) < PACE_MS;
      if (!isPaced) compare();
      return fault;
    },

    /** When the machine booted, by the clock while it was right. */
    bootedAt: () => rightBootedAt,
  };
}

const UNITS = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
] as const;

function faultOf(jumpMs: number): string {
  const size = Math.abs(jumpMs);
  const [unit, unitMs] = UNITS.find(([, ms]) => size >= 2 * ms) ?? UNITS[2];
  const direction = jumpMs > 0 ? "ahead" : "back";
  return (
    `The machine's clock jumped ${direction} by ${(size / unitMs).toFixed(1)} ${unit}: keys are not ` +
    "accepted and jobs wait. Set it right, or restart the appliance if it is right now."
  );
}
