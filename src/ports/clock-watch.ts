import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

/** A smaller step is a correction, as time services make them, and taken over. */
const STEP_MAX_MS = 60_000;
/** A step that is worth a line in the log. */
const LOGGED_MS = 1_000;

export type ClockWatch = ReturnType<typeof createClockWatch>;

/**
 * Compares the machine's clock with the monotonic one, which nobody can set. After a jump of a minute or
 * more nobody here can know which of the two times is right, so the clock counts as wrong until it returns,
 * or until the appliance is restarted, which is the operator's word that it is right. Looking is cheap and
 * done before each use, so a jump is noticed before anything is judged by it.
 *
 * On Linux, slewing changes both clocks alike, and both stand still, or neither, while the machine sleeps.
 * @param expectedMs what the clock should say now, for a worker that joins others; epoch milliseconds
 */
export function createClockWatch(
  clock: Pick<Clock, "now" | "monotonic">,
  log: Log,
  expectedMs = clock.now(),
) {
  /** The clock minus the monotonic one, as of the last look at which it was right. */
  let aheadMs = expectedMs - clock.monotonic();
  /** What is wrong; null while the clock is right. */
  let fault: string | null = null;

  const expected = (): number => clock.monotonic() + aheadMs;

  /** @returns what is wrong with the clock, or null */
  function look(): string | null {
    const jumpMs = clock.now() - expected();
    const isRight = Math.abs(jumpMs) < STEP_MAX_MS;
    if (isRight) {
      aheadMs += jumpMs;
      if (fault !== null) log.info({}, "the clock is right again");
      else if (Math.abs(jumpMs) >= LOGGED_MS) log.warn({ jumpMs }, "the clock was corrected");
      fault = null;
    } else if (fault === null) {
      fault = faultOf(jumpMs);
      log.error({ jumpMs: Math.round(jumpMs) }, "the clock jumped: keys are not accepted");
    }
    return fault;
  }

  return { look, expected };
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
