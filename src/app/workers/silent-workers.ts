import type { Ports } from "../../ports/ports.ts";
import { tell, type WorkerChild } from "./worker-child.ts";

const HEARTBEAT_MS = 1_000;
/**
 * Heartbeats without an answer, after which a worker counts as hung. Another has its upkeep by then; what
 * a worker does on the thread that answers takes milliseconds.
 */
const UNANSWERED_MAX = 15;

/**
 * Ends workers that run and answer nothing, until all are to stop: their connections wait, and where one was
 * stopped within a commit nobody else can write. Heartbeats are counted rather than timed: where the whole
 * machine slept, none was sent. One that starts is left alone, since it may have a file to upgrade.
 */
export async function endSilentWorkers(
  running: ReadonlyMap<number, WorkerChild>,
  stopping: AbortSignal,
  { clock, log }: Pick<Ports, "clock" | "log">,
): Promise<void> {
  while (!stopping.aborted) {
    for (const [number, worker] of running) {
      if (!worker.isReady) continue;
      if (worker.unanswered === UNANSWERED_MAX) {
        log.error({ worker: number, pid: worker.child.pid }, "a worker hangs; it is killed");
        worker.child.kill("SIGKILL");
      }
      worker.unanswered += 1;
      tell(worker, { heartbeat: true });
    }
    await clock.sleep(HEARTBEAT_MS, stopping);
  }
}
