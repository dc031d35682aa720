import { AppError, storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { createFairQueue } from "../values/fair-queue.ts";
import { message } from "../values/messages/messages.ts";
import { currentTenant, type Tenant } from "../values/tenant.ts";
import type { NodeSettings } from "./cluster/link.ts";
import type { Database } from "./database.ts";
import { queryTimeout } from "./deadline.ts";
import type { NoteHold } from "./lock-holds.ts";
import { type Calls, callsOf, type Operations, type Pool } from "./operations.ts";
import type { NoteSlowCall } from "./slow-log.ts";
import { type FromThread, fromFault, type Outcome } from "./thread-messages.ts";
import { createThreadPool, send } from "./thread-pool.ts";
import { givenUp, withDeadline } from "./with-deadline.ts";

/** Runs operations off the main thread; for an in-memory database, on it. */
export interface Threads<Ops extends Operations> {
  calls: Calls<Ops>;
  load(): ThreadLoad;
  /** Ends the threads that had nothing to do since the last call. */
  rest(): void;
  /** Ends the threads; tasks still running are rejected with `unavailable`. */
  close(): Promise<void>;
}

export interface ThreadLoad {
  /** Most threads that the pool starts. */
  threads: number;
  busy: number;
  /** Tasks waiting for a free thread. */
  waiting: number;
}

export interface ThreadsOptions {
  path: string;
  /** Module that each thread runs; it calls `serveOperations` with the pool under its name. */
  entry: URL;
  name: string;
  /** Null on a standalone appliance. */
  cluster: NodeSettings | null;
  /** Time limit for a task of a pool with a deadline. */
  timeoutMs: number;
  clock: Clock;
  /** Listener for write transactions. */
  noteHold: NoteHold;
  /** Listener for slow statements. */
  noteSlow: NoteSlowCall;
}

interface Task {
  tenant: Tenant;
  name: string;
  rest: unknown[];
  /** By the monotonic clock, for a query; null for other tasks. */
  giveUpAtMs: number | null;
  /** From the task's start; null for a query. */
  deadlineMs: number | null;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Threads of a pool, started on demand, each with its own connection and one task at a time. A task's
 * deadline includes waiting for a free thread if it is a query. One tenant's queries use at most half of the
 * threads, so that others find a free one, however expensive those are.
 */
export function startThreads<Ops extends Operations>(
  pool: Pool<Ops>,
  { path, cluster, entry, name: poolName, timeoutMs, clock, noteHold, noteSlow }: ThreadsOptions,
): Threads<Ops> {
  const opening = { pool: poolName, path, access: pool.access, cluster };
  const threads = createThreadPool(entry, opening, { onMessage: receive, onFailure: lose });
  const isOfQueries = pool.deadline === "query";
  const waiting = createFairQueue<Task>(isOfQueries ? Math.ceil(pool.threads / 2) : pool.threads);
  const running = new Map<Worker, Task & { cancel(): void }>();
  let closed = false;

  function receive(thread: Worker, message: FromThread): void {
    if ("held" in message) noteHold(message.held.work, message.held.heldMs);
    else if ("slow" in message) {
      const call = `${poolName}.${running.get(thread)?.name}`;
      noteSlow(call, message.slow.sql, message.slow.tookMs);
    } else settle(thread, message);
  }

  function settle(thread: Worker, outcome: Outcome): void {
    const task = over(thread);
    // A late message from a thread that has already been ended.
    if (task === undefined) return;
    threads.giveBack(thread);
    next();
    if ("fault" in outcome) task.reject(fromFault(outcome.fault));
    else task.resolve(outcome.result);
  }

  function lose(thread: Worker, error: Error): void {
    over(thread)?.reject(error);
    next();
  }

  /** Ends the turn of a thread's task. @returns the task, if it had one */
  function over(thread: Worker): Task | undefined {
    const task = running.get(thread);
    running.delete(thread);
    task?.cancel();
    if (task !== undefined) waiting.end(task);
    return task;
  }

  /** Ends a task at its deadline: its thread ends when it can, and the next task gets another one. */
  function leaveBehind(thread: Worker, deadlineMs: number): void {
    const task = over(thread);
    threads.leaveBehind(thread);
    next();
    task?.reject(givenUp(deadlineMs));
  }

  function next(): void {
    while (running.size < pool.threads) {
      const task = waiting.take();
      if (task === undefined) return;
      const leftMs = task.giveUpAtMs === null ? null : task.giveUpAtMs - clock.monotonic();
      if (leftMs !== null && leftMs <= 0) {
        waiting.end(task);
        task.reject(queryTimeout());
        continue;
      }
      const thread = threads.take();
      if (thread === undefined) {
        waitForThreads(task);
        return;
      }
      const { deadlineMs } = task;
      const cancel =
        deadlineMs === null
          ? () => {}
          : clock.after(deadlineMs, () => leaveBehind(thread, deadlineMs));
      running.set(thread, { ...task, cancel });
      send(thread, { name: task.name, rest: task.rest, timeoutMs: leftMs });
    }
  }

  /** No further thread can start now: the task waits for running ones, and is refused if there are none. */
  function waitForThreads(task: Task): void {
    waiting.putBack(task);
    if (running.size > 0) return;
    const fault = storageUnavailable(new Error("too few file descriptors are left for a thread"));
    for (const refused of waiting.clear()) refused.reject(fault);
  }

  function run(name: string, rest: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (closed) {
        reject(stopping());
        return;
      }
      const deadlineMs = deadlineOf(pool, rest);
      const giveUpAtMs = deadlineMs === null ? clock.monotonic() + timeoutMs : null;
      const tenant = currentTenant();
      waiting.add({ tenant, name, rest, giveUpAtMs, deadlineMs, resolve, reject });
      next();
    });
  }

  return {
    calls: callsOf(pool.operations, run),

    load: () => ({ threads: pool.threads, busy: running.size, waiting: waiting.waiting() }),

    rest: threads.rest,

    async close() {
      closed = true;
      for (const { cancel } of running.values()) cancel();
      for (const task of [...running.values(), ...waiting.clear()]) task.reject(stopping());
      running.clear();
      await threads.end(clock);
    },
  };
}

/** The same operations on one connection of this thread, for an in-memory database. */
export function inlineThreads<Ops extends Operations>(
  pool: Pool<Ops>,
  db: Database,
  clock: Clock,
): Threads<Ops> {
  const { operations } = pool;
  return {
    calls: callsOf(operations, async (name, rest) => {
      const run = async (): Promise<unknown> => operations[name]?.(db, clock, ...rest);
      const deadlineMs = deadlineOf(pool, rest);
      return deadlineMs === null ? run() : withDeadline(clock, { deadlineMs }, run);
    }),
    load: () => ({ threads: 0, busy: 0, waiting: 0 }),
    rest() {},
    close: async () => {},
  };
}

/** A task's deadline from its start; null for a query. */
function deadlineOf({ deadline }: Pool, [argument]: readonly unknown[]): number | null {
  if (deadline === "query") return null;
  return typeof deadline === "number" ? deadline : deadline(argument as never);
}

function stopping(): AppError {
  return new AppError("unavailable", message("stopping"));
}
