import type { Ports } from "../../ports/ports.ts";
import { createRestartWaits } from "./restart-waits.ts";

/**
 * Starts a worker again whenever it ends, until shutdown. A start that fails, as for lack of memory, counts
 * as a worker that ended: the others go on serving meanwhile.
 * @param ended settles with the exit code of the worker that is running
 * @param startAgain settles with the exit code of the next one
 */
export async function keepRunning(
  worker: number,
  ended: Promise<number>,
  startAgain: () => Promise<number>,
  stopping: AbortSignal,
  { clock, log }: Pick<Ports, "clock" | "log">,
): Promise<void> {
  const waitMs = createRestartWaits();
  const started = async (): Promise<number | null> => {
    try {
      return await startAgain();
    } catch (error) {
      log.error({ err: error, worker }, "a worker could not be started");
      return null;
    }
  };
  let current: Promise<number | null> = ended;
  for (;;) {
    const startedMs = clock.monotonic();
    const exitCode = await current;
    if (stopping.aborted) return;
    const pauseMs = waitMs(clock.monotonic() - startedMs);
    log.error({ worker, exitCode, pauseMs }, "a worker ended and will be restarted");
    if (pauseMs > 0) await clock.sleep(pauseMs, stopping);
    if (stopping.aborted) return;
    current = started();
  }
}
