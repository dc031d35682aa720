import type { ToWorker } from "./worker-messages.ts";

/** A process that serves beside others. */
export interface WorkerChild {
  child: Bun.Subprocess<"ignore", "inherit", "inherit">;
  /** Whether it listens. */
  isReady: boolean;
  /** Heartbeats that it has not answered, since its last answer. */
  unanswered: number;
}

/** Sends a message; a worker that is ending hears nothing any more. */
export function tell({ child }: WorkerChild, message: ToWorker): void {
  try {
    child.send(message);
  } catch {}
}
