import type { Ports } from "../../ports/ports.ts";
import { sendTo, type WorkerChild } from "./worker-child.ts";

const HEARTBEAT_MS = 1_000;
/**
 * Unanswered heartbeats after which a worker counts as hung. Its upkeep has passed to another worker by
 * then, and nothing a worker does on its answering thread takes more than milliseconds.
 */
const UNANSWERED_MAX = 15;

/**
 * Kills workers that run but do not respond, until shutdown: clients would wait on their connections, and
 * one stuck inside a commit would block all writers. Heartbeats are counted instead of timed, because none
 * is sent while the whole machine is suspended. A starting worker is left alone, since it may be migrating
 * the file.
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
        log.error(
          { worker: number, pid: worker.child.pid },
          "a worker does not respond and is killed",
        );
        worker.child.kill("SIGKILL");
      }
      worker.unanswered += 1;
      sendTo(worker, { heartbeat: true });
    }
    await clock.sleep(HEARTBEAT_MS, stopping);
  }
}
