import { AppError, storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { createFairQueue } from "../values/fair-queue.ts";
import { message } from "../values/messages/messages.ts";
import { currentWork, type Tenant, type TimeKind, type Work } from "../values/tenant.ts";
import type { NodeSettings } from "./cluster/link.ts";
import type { Database } from "./database.ts";
import { ownQueueLong, queryTimeout } from "./deadline.ts";
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
  /** Listener for tasks that were refused. */
  noteRefused: NoteRefused;
}

/**
 * Why a task was refused: its organization had no time left, or waited behind its own tasks; or it waited
 * behind others', which is the appliance's own fault.
 */
export type Refused = TimeKind | "own" | "others";

export type NoteRefused = (why: Refused) => void;

interface Task {
  tenant: Tenant;
  work: Work;
  /** Whether it came after other tasks of its tenant. */
  isBehindOwn: boolean;
  name: string;
  rest: unknown[];
  queuedAtMs: number;
  /** From the task's start; null for a query. */
  deadlineMs: number | null;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Threads of a pool, started on demand, each with its own connection and one task at a time. A task's
 * deadline includes waiting for a free thread if it is a query. One tenant's queries use at most half of the
 * threads, so that others find a free one, however expensive those are; and only one thread, though never
 * the last free one, if its recent tasks took much time. Time is charged to the budget of the work that a
 * task belongs to, and work without time left is refused.
 */
export function startThreads<Ops extends Operations>(
  pool: Pool<Ops>,
  options: ThreadsOptions,
): Threads<Ops> {
  const { path, cluster, entry, name: poolName, timeoutMs, clock, noteHold, noteSlow } = options;
  const kind: TimeKind = pool.access === "reader" ? "database" : "lock";
  const opening = { pool: poolName, path, access: pool.access, cluster };
  const threads = createThreadPool(entry, opening, { onMessage: receive, onFailure: lose });
  const isOfQueries = pool.deadline === "query";
  const waiting = createFairQueue<Task>(turnsMax);
  const running = new Map<Worker, Task & { cancel(): void }>();
  let closed = false;

  function receive(thread: Worker, message: FromThread): void {
    if ("held" in message) {
      const { work, heldMs } = message.held;
      noteHold(work, heldMs);
      running.get(thread)?.work.budget?.charge("lock", heldMs);
    } else if ("slow" in message) {
      const call = `${poolName}.${running.get(thread)?.name}`;
      noteSlow(call, message.slow.sql, message.slow.tookMs);
    } else settle(thread, message);
  }

  function settle(thread: Worker, outcome: Outcome): void {
    const task = over(thread);
    // A late message from a thread that has already been ended.
    if (task === undefined) return;
    if (kind === "database") task.work.budget?.charge(kind, outcome.processorMs);
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

  function turnsMax(task: Task): number {
    if (!isOfQueries) return pool.threads;
    if (isLight(task)) return Math.ceil(pool.threads / 2);
    const isLast = pool.threads > 1 && running.size === pool.threads - 1;
    return isLast ? 0 : 1;
  }

  function isLight({ work }: Task): boolean {
    return work.budget?.isLight() ?? true;
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
      const refusal = refusalOf(task);
      if (refusal !== null) {
        waiting.end(task);
        task.reject(refusal);
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
      if (pool.refuses !== "never" && task.work.begun !== "lock") task.work.begun = kind;
      const leftMs = isOfQueries ? timeoutMs - waitedMs(task) : null;
      send(thread, { name: task.name, rest: task.rest, timeoutMs: leftMs });
    }
  }

  function waitedMs({ queuedAtMs }: Task): number {
    return clock.monotonic() - queuedAtMs;
  }

  /** Why a task is not run although it is its turn. */
  function refusalOf(task: Task): AppError | null {
    const spent = timeSpent(task.work);
    if (spent !== null) return spent;
    if (!isOfQueries) return null;
    // Its organization's own queries are in the way. Half of the time is left for this query itself, which
    // would otherwise be answered 503 for them.
    const isOwnFault = task.isBehindOwn && !isLight(task) && mayRefuse(task.work);
    if (waitedMs(task) < (isOwnFault ? timeoutMs / 2 : timeoutMs)) return null;
    options.noteRefused(isOwnFault ? "own" : "others");
    return isOwnFault ? ownQueueLong() : queryTimeout();
  }

  /** Whether work may be refused: not if it has begun here, and no longer once it has changed anything. */
  function mayRefuse({ begun }: Work): boolean {
    return begun === null || (begun === "database" && kind === "lock");
  }

  /** Why work may not begin; null if it may, or has. */
  function timeSpent(work: Work): AppError | null {
    if (pool.refuses === "never" || !mayRefuse(work)) return null;
    const refusal = work.budget?.refusal(kind) ?? null;
    if (refusal === null) return null;
    options.noteRefused(kind);
    return new AppError("throttled", refusal.reason, { retryAfterS: refusal.retryAfterS });
  }

  /** No further thread can start now: the task waits for running ones, and is refused if there are none. */
  function waitForThreads(task: Task): void {
    waiting.putBack(task);
    if (running.size > 0) return;
    const fault = storageUnavailable(new Error("too few file descriptors are left for a thread"));
    for (const refused of waiting.clear()) {
      options.noteRefused("others");
      refused.reject(fault);
    }
  }

  async function run(name: string, rest: unknown[]): Promise<unknown> {
    const work = currentWork();
    const refusal = timeSpent(work);
    if (refusal !== null) throw refusal;
    if (pool.refuses === "paced" && work.begun !== null) {
      const pauseMs = work.budget?.pauseMs(kind) ?? 0;
      if (pauseMs > 0) await clock.sleep(pauseMs);
    }
    return new Promise((resolve, reject) => {
      if (closed) {
        reject(stopping());
        return;
      }
      const { tenant } = work;
      const isBehindOwn = waiting.isBehindOwn(tenant);
      const queuedAtMs = clock.monotonic();
      const deadlineMs = deadlineOf(pool, rest);
      waiting.add({
        tenant,
        work,
        isBehindOwn,
        name,
        rest,
        queuedAtMs,
        deadlineMs,
        resolve,
        reject,
      });
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
