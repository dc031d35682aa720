import type { Clock } from "../ports/clock.ts";
import type { FromThread, Opening, ToThread } from "./thread-messages.ts";

/** Receives what a thread reports. */
interface ThreadListener {
  onMessage(message: FromThread): void;
  /** The thread has failed and is ended: it reports nothing more. */
  onFailure(error: Error): void;
}

/**
 * Starts a thread that runs operations, one at a time, on the connection described by `opening`.
 * @param entry module that calls `serveOperations`
 */
export function startThread(
  entry: URL,
  opening: Opening,
  { onMessage, onFailure }: ThreadListener,
): Worker {
  const worker = new Worker(entry);
  worker.onmessage = ({ data }: MessageEvent<FromThread>) => onMessage(data);
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    onFailure(new Error(`a database thread failed: ${event.message}`));
  };
  send(worker, { open: opening });
  return worker;
}

export function send(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}

/**
 * How long to wait for threads to end: one in the middle of a statement ends after it, which may take
 * longer.
 */
const END_MAX_MS = 1_000;

/**
 * Ends threads and waits, because their connections keep the write-ahead log in use. Each thread ends
 * itself between two messages: terminating one while it loads the driver's addon, or while the addon
 * creates an error, aborts the whole process (Bun 1.4.4).
 */
export async function endThreads(workers: Iterable<Worker>, clock: Clock): Promise<void> {
  const ended = [...workers].map((worker) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.addEventListener("close", () => resolve());
    send(worker, { end: true });
    return promise;
  });
  const waited = new AbortController();
  await Promise.race([Promise.all(ended), clock.sleep(END_MAX_MS, waited.signal)]);
  waited.abort();
}
