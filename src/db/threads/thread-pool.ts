import { AppError, type ErrorCode, type FieldFaults, toAppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { hasDescriptors } from "../../ports/system.ts";
import type { Message } from "../../values/messages/messages.ts";
import type { NodeSettings } from "../shared-rows.ts";
import { FailedStatement, sqlOf } from "../statement.ts";
import type { NoteRefused, Refused } from "./threads.ts";

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
  opening: () => Opening,
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
    send(thread, { open: opening() });
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

/** Tells a thread what it serves. */
export interface Opening {
  lane: string;
  path: string;
  /** Null on a standalone appliance. */
  node: NodeSettings | null;
  /** Plain data over shared memory, which all threads use for reading the file; null if there is none. */
  memory: unknown;
}

/** Messages to a thread: the first says what to open, the last tells it to end. */
export type ToThread =
  | { open: Opening }
  | { name: string; rest: unknown[]; timeoutMs: number | null }
  | { end: true };

/** Outcome of a task, and the processor time that it took. */
export type Outcome = ({ result: unknown } | { fault: Fault }) & { processorMs: number };

/** Messages from a thread: the outcome of its current task, and every lock hold and slow statement. */
export type FromThread =
  | Outcome
  | { held: { work: string; heldMs: number } }
  | { slow: { sql: string; tookMs: number } };

/** An error as plain data. */
export interface Fault {
  code: ErrorCode;
  publicMessage: Message;
  faults: FieldFaults | undefined;
  retryAfterS: number | undefined;
  /** The private cause; null for an error that callers are meant to see. */
  cause: { message: string; stack: string } | null;
  /** The statement that failed, if one did. */
  sql: string | null;
}

/** Converts an error to plain data, since errors lose their class between threads. */
export function toFault(thrown: unknown): Fault {
  const error = toAppError(thrown);
  const { code, publicMessage, faults, retryAfterS, cause: reason } = error;
  const cause = reason === undefined ? null : describe(reason);
  return { code, publicMessage, faults, retryAfterS, cause, sql: sqlOf(error) };
}

/** The error that `toFault` converted; its cause has the stack of the thread. */
export function fromFault({
  code,
  publicMessage,
  faults,
  retryAfterS,
  cause: reason,
  sql,
}: Fault): Error {
  // An Error again, because the log prints no other kind of cause.
  const cause = reason === null ? null : errorOf(reason, sql);
  if (code === "internal") return cause ?? new Error(code);
  return new AppError(code, publicMessage, {
    ...(cause !== null && { cause }),
    ...(faults !== undefined && { faults }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}

function describe(error: unknown): { message: string; stack: string } {
  if (!(error instanceof Error)) return { message: String(error), stack: String(error) };
  return { message: error.message, stack: error.stack ?? error.message };
}

/** @param reason with the stack of the thread */
function errorOf(reason: { message: string; stack: string }, sql: string | null): Error {
  const statement = sql === null ? {} : { cause: new FailedStatement(sql) };
  return Object.assign(new Error(reason.message, statement), { stack: reason.stack });
}

/** How long a refusal is reported: long enough for a check every few seconds to meet it. */
const SHOWN_MS = 10_000;

/** Watches which tasks the threads refuse. */
export function createQueueWatch(clock: Pick<Clock, "monotonic">, count: NoteRefused) {
  const lastMs = new Map<Refused, number>();
  const isRecent = (why: Refused): boolean =>
    clock.monotonic() - (lastMs.get(why) ?? Number.NEGATIVE_INFINITY) < SHOWN_MS;

  return {
    note(why: Refused): void {
      count(why);
      lastMs.set(why, clock.monotonic());
    },

    /** Requests of customers who did nothing unusual were answered 503. */
    fault: (): string | null =>
      isRecent("others")
        ? "Requests found no free database thread in time and were answered 503."
        : null,

    /** One customer's requests are answered 429; everybody else's are not concerned. */
    warning: (): string | null =>
      isRecent("database") || isRecent("lock") || isRecent("own")
        ? "Requests of an organization that used up its time are answered 429."
        : null,
  };
}

/** Listener called for each slow run of a statement, with the operation it ran in. */
export type NoteSlowCall = (call: string, sql: string, tookMs: number) => void;

/** Minimum interval between log lines about the same statement. */
const LOG_AGAIN_AFTER_MS = 60_000;
/** The list is cleared when it is full: texts vary with the filters that callers choose. */
const REMEMBERED_MAX = 500;

/** Logs slow statements: the operation and the SQL text, without values. */
export function createSlowLog({ clock, log }: { clock: Clock; log: Log }): NoteSlowCall {
  const loggedMs = new Map<string, number>();
  return (call, sql, tookMs) => {
    const nowMs = clock.monotonic();
    if (nowMs - (loggedMs.get(sql) ?? Number.NEGATIVE_INFINITY) < LOG_AGAIN_AFTER_MS) return;
    if (loggedMs.size >= REMEMBERED_MAX) loggedMs.clear();
    loggedMs.set(sql, nowMs);
    const text = sql.replace(/\s+/g, " ").trim();
    // Not a warning: jobs and broad searches are slow by nature, and nobody has to act.
    log.info({ call, sql: text, durationMs: Math.round(tookMs) }, "a statement was slow");
  };
}
