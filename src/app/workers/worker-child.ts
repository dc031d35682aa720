import type { ToWorker } from "./worker-messages.ts";

/** A worker process, as its supervisor sees it. */
export interface WorkerChild {
  child: Bun.Subprocess<"ignore", "inherit", "inherit">;
  /** Whether it is listening. */
  isReady: boolean;
  /** Heartbeats sent since its last answer. */
  unanswered: number;
}

/** Sends a message; does nothing if the worker is ending. */
export function sendTo({ child }: WorkerChild, message: ToWorker): void {
  try {
    child.send(message);
  } catch {}
}
