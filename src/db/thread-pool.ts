import type { Clock } from "../ports/clock.ts";
import { hasDescriptors } from "../ports/system.ts";
import type { FromThread, Opening, ToThread } from "./thread-messages.ts";

/** Receives what the threads of a lane report. */
interface ThreadListener {
  onMessage(thread: Worker, message: FromThread): void;
  /** The thread has failed and is ended: it reports nothing more. */
  onFailure(thread: Worker, error: Error): void;
}

/**
 * Threads started on demand, each with connections of its own as described by `opening`.
 * @param entry module that each thread runs; it calls `serveOperations`
 */
export function createThreadPool(
  entry: URL,
  opening: Opening,
  { onMessage, onFailure }: ThreadListener,
) {
  const started = new Set<Worker>();
  const idle: Worker[] = [];
  /** Threads that have been idle since the last `rest`. */
  let rested = new Set<Worker>();

  function start(): Worker {
    const thread = new Worker(entry);
    started.add(thread);
    thread.onmessage = ({ data }: MessageEvent<FromThread>) => onMessage(thread, data);
    thread.onerror = (event) => {
      event.preventDefault();
      thread.terminate();
      started.delete(thread);
      // An idle thread can fail too; without this, the next task given to it would wait for ever.
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
      onFailure(thread, new Error(`a database thread failed: ${event.message}`));
    };
    send(thread, { open: opening });
    return thread;
  }

  return {
    /** An idle thread, or a new one; undefined if too few file descriptors are left to start one. */
    take(): Worker | undefined {
      const thread = idle.pop();
      if (thread === undefined) return hasDescriptors() ? start() : undefined;
      rested.delete(thread);
      return thread;
    },

    /** Gives a thread up that does not finish its task: it ends between two steps of it, or after them. */
    leaveBehind(thread: Worker): void {
      started.delete(thread);
      send(thread, { end: true });
    },

    /** Keeps a thread for its next task. */
    giveBack(thread: Worker): void {
      idle.push(thread);
    },

    /**
     * Ends the threads that had nothing to do since the last call: each holds 16 MB, and starting it again
     * takes 0.2 seconds of processor time.
     */
    rest(): void {
      for (const thread of idle.filter((one) => rested.has(one))) {
        idle.splice(idle.indexOf(thread), 1);
        started.delete(thread);
        send(thread, { end: true });
      }
      rested = new Set(idle);
    },

    async end(clock: Clock): Promise<void> {
      idle.length = 0;
      await endThreads(started, clock);
      started.clear();
    },
  };
}

export function send(thread: Worker, message: ToThread): void {
  thread.postMessage(message);
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
async function endThreads(threads: Iterable<Worker>, clock: Clock): Promise<void> {
  const ended = [...threads].map((thread) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    thread.addEventListener("close", () => resolve());
    send(thread, { end: true });
    return promise;
  });
  const waited = new AbortController();
  await Promise.race([Promise.all(ended), clock.sleep(END_MAX_MS, waited.signal)]);
  waited.abort();
}
