import { AppError, type ErrorCode, type FieldFaults, toAppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { type Message, message } from "../values/messages/messages.ts";
import { type Access, closeDatabase, type Database, openDatabase } from "./database.ts";
import { queryTimeout, withDeadline } from "./deadline.ts";
import { type NoteHold, onLockHeld } from "./lock-holds.ts";
import { inReadTransaction } from "./read-transaction.ts";

/** Work for a connection of its own, by name; arguments and results are plain data. */
// biome-ignore lint/suspicious/noExplicitAny: each operation states its own argument and result
export type Operations = Record<string, (db: Database, clock: Clock, argument: any) => unknown>;

type Argument<Operation> = Operation extends (
  db: Database,
  clock: Clock,
  argument: infer A,
) => unknown
  ? A
  : never;
type Result<Operation> = Operation extends (...all: never[]) => infer R ? Awaited<R> : never;

/** Runs operations off the main thread, or in it for a database that lives in memory. */
export interface Threads<Ops extends Operations> {
  run<Name extends keyof Ops & string>(
    name: Name,
    argument: Argument<Ops[Name]>,
  ): Promise<Result<Ops[Name]>>;
  load(): ThreadLoad;
  /** Ends the threads; what was under way is answered with `unavailable`. */
  close(): Promise<void>;
}

export interface ThreadLoad {
  /** As many as there may be. */
  threads: number;
  busy: number;
  /** Tasks. */
  waiting: number;
}

interface Opening {
  path: string;
  access: Access;
}

/** What the main thread sends: the first message says what to open. */
export type ToThread =
  | { open: Opening }
  | { name: string; argument: unknown; timeoutMs: number | null };

/** A thread's messages: the outcome of its one task, and each lock that it held meanwhile. */
export type FromThread =
  | { result: unknown }
  | { fault: Fault }
  | { held: { work: string; heldMs: number } };

interface Fault {
  code: ErrorCode;
  said: Message;
  faults: FieldFaults | undefined;
  retryAfterS: number | undefined;
  /** Null for an error that the caller was to expect. */
  cause: string | null;
}

export interface ThreadsOptions {
  path: string;
  /** The module a thread runs; it calls `serveOperations`. */
  entry: URL;
  access: Access;
  count: number;
  /** How long a task may take, its wait for a thread included; null: no limit. */
  timeoutMs: number | null;
  clock: Clock;
  /** Told of each write transaction; left out where the threads only read. */
  noteHold?: NoteHold;
}

interface Task {
  name: string;
  argument: unknown;
  giveUpAtMs: number | null;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Up to `count` threads, started when needed, each with its own connection and one task at a time;
 * a task waits for a free thread. Since a waiting task's deadline runs too, the tasks before it are
 * over by then.
 */
export function startThreads<Ops extends Operations>(options: ThreadsOptions): Threads<Ops> {
  const { clock, timeoutMs } = options;
  const idle: Worker[] = [];
  const waiting: Task[] = [];
  const running = new Map<Worker, Task>();
  let closed = false;

  function start(): Worker {
    const worker = new Worker(options.entry);
    worker.onmessage = ({ data }: MessageEvent<FromThread>) => settle(worker, data);
    worker.onerror = (event) => {
      event.preventDefault();
      const task = running.get(worker);
      running.delete(worker);
      // It may fail with nothing to do, too: whoever it was given next would wait for ever.
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
      task?.reject(new Error(`a database thread failed: ${event.message}`));
      worker.terminate();
      next();
    };
    send(worker, { open: { path: options.path, access: options.access } });
    return worker;
  }

  function settle(worker: Worker, answer: FromThread): void {
    if ("held" in answer) {
      options.noteHold?.(answer.held.work, answer.held.heldMs);
      return;
    }
    const task = running.get(worker);
    // Of a thread that has ended.
    if (task === undefined) return;
    running.delete(worker);
    idle.push(worker);
    next();
    if ("fault" in answer) task.reject(fromFault(answer.fault));
    else task.resolve(answer.result);
  }

  function next(): void {
    while (waiting.length > 0 && (idle.length > 0 || running.size < options.count)) {
      const task = waiting.shift() as Task;
      const leftMs = task.giveUpAtMs === null ? null : task.giveUpAtMs - clock.monotonic();
      if (leftMs !== null && leftMs <= 0) {
        task.reject(queryTimeout());
        continue;
      }
      const worker = idle.pop() ?? start();
      running.set(worker, task);
      send(worker, {
        name: task.name,
        argument: task.argument,
        timeoutMs: leftMs,
      });
    }
  }

  return {
    run(name, argument) {
      return new Promise((resolve, reject) => {
        if (closed) {
          reject(stopping());
          return;
        }
        waiting.push({
          name,
          argument,
          giveUpAtMs: timeoutMs === null ? null : clock.monotonic() + timeoutMs,
          resolve: resolve as (result: unknown) => void,
          reject,
        });
        next();
      });
    },

    load: () => ({ threads: options.count, busy: running.size, waiting: waiting.length }),

    async close() {
      closed = true;
      for (const task of [...running.values(), ...waiting]) task.reject(stopping());
      const workers = [...idle, ...running.keys()];
      waiting.length = 0;
      idle.length = 0;
      running.clear();
      await endAll(workers, clock);
    },
  };
}

/** A thread in the midst of a statement ends after it; nobody waits for a long one. */
const END_MAX_MS = 1_000;

/** Until they have ended, their connections keep the write-ahead log in use. */
async function endAll(workers: readonly Worker[], clock: Clock): Promise<void> {
  const ended = workers.map((worker) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.addEventListener("close", () => resolve());
    worker.terminate();
    return promise;
  });
  const waited = new AbortController();
  await Promise.race([Promise.all(ended), clock.sleep(END_MAX_MS, waited.signal)]);
  waited.abort();
}

/** The same operations on a connection of this thread, for a database in memory. */
export function inlineThreads<Ops extends Operations>(
  operations: Ops,
  db: Database,
  clock: Clock,
): Threads<Ops> {
  return {
    run: async (name, argument) =>
      (await operations[name]?.(db, clock, argument)) as Result<Ops[typeof name]>,
    load: () => ({ threads: 0, busy: 0, waiting: 0 }),
    close: async () => {},
  };
}

/** The thread's side: answers each task on the connection that the first message names. */
export function serveOperations(operations: Operations, clock: Clock): void {
  let place: Opening | null = null;
  let db: Database | null = null;
  const scope = globalThis as unknown as Worker;
  scope.onmessage = async ({ data }: MessageEvent<ToThread>) => {
    if ("open" in data) {
      place = data.open;
      process.on("exit", () => db !== null && closeDatabase(db));
      return;
    }
    const { name, argument, timeoutMs } = data;
    const answer = (message: FromThread): void => scope.postMessage(message);
    try {
      const operation = operations[name];
      if (operation === undefined || place === null) throw new Error(`no operation ${name}`);
      // Opened with the first task that finds the file in order: the ones before are refused.
      db ??= open(place, clock, answer);
      const connection = db;
      const work = (): unknown => operation(connection, clock, argument);
      const result =
        timeoutMs === null
          ? await work()
          : withDeadline(connection.$client, clock.monotonic() + timeoutMs, () =>
              inReadTransaction(connection, work),
            );
      answer({ result });
    } catch (error) {
      answer({ fault: toFault(error) });
    }
  };
}

function open(
  { path, access }: Opening,
  clock: Clock,
  answer: (message: FromThread) => void,
): Database {
  const db = openDatabase(path, clock, access);
  onLockHeld(db, (work, heldMs) => answer({ held: { work, heldMs } }));
  return db;
}

function stopping(): AppError {
  return new AppError("unavailable", message("stopping"));
}

function send(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}

/** Errors lose their class on the way between threads, so they travel as data. */
function toFault(thrown: unknown): Fault {
  const { code, said, faults, retryAfterS, cause } = toAppError(thrown);
  return { code, said, faults, retryAfterS, cause: cause === undefined ? null : textOf(cause) };
}

function fromFault({ code, said, faults, retryAfterS, cause }: Fault): Error {
  if (code === "internal") return new Error(cause ?? code);
  return new AppError(code, said, {
    ...(cause !== null && { cause }),
    ...(faults !== undefined && { faults }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
