import { AppError, storageUnavailable } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import type { Tenant, TimeKind, Work } from "../../values/tenant.ts";
import { createFairQueue, currentWork } from "../../values/tenant.ts";
import type { Database } from "../database.ts";
import { givenUp, ownQueueLong, queryTimeout, withDeadline } from "../deadline.ts";
import type { NoteHold } from "../lock.ts";
import { callsOf, type Lane, type LaneCalls, type Operations, type Rule } from "../operations.ts";
import type { NodeSettings } from "../shared-rows.ts";
import type { FromThread, NoteSlowCall, Outcome } from "./thread-pool.ts";
import { createThreadPool, fromFault, send } from "./thread-pool.ts";

/** Runs operations off the main thread; for an in-memory database, on it. */
export interface Threads<Ops extends Operations> {
  calls: LaneCalls<Ops>;
  load(): ThreadLoad;
  /** Ends the threads that had nothing to do since the last call. */
  rest(): void;
  /** Ends the threads; tasks still running are rejected with `unavailable`. */
  close(): Promise<void>;
}

export interface ThreadLoad {
  /** Most threads that the lane starts. */
  threads: number;
  busy: number;
  /** Tasks waiting for a free thread. */
  waiting: number;
}

export interface ThreadsOptions {
  path: string;
  /** Module that each thread runs; it calls `serveOperations` with the lane under its name. */
  entry: URL;
  name: string;
  /** Null on a standalone appliance. */
  node: NodeSettings | null;
  /** Plain data over shared memory for a thread that starts, which it uses for reading the file. */
  memory: () => unknown;
  timeoutMs: number;
  clock: Clock;
  noteHold: NoteHold;
  noteSlow: NoteSlowCall;
  noteRefused: NoteRefused;
}

/**
 * Why a task was refused: its organization had no time left, or waited behind its own tasks; or it waited
 * behind others', which is the appliance's own fault.
 */
export type Refused = TimeKind | "own" | "others";

export type NoteRefused = (why: Refused) => void;

interface Task {
  /** Whose turn it takes: its tenant's, or that of a rule with a limit of its own. */
  tenant: Tenant;
  work: Work;
  /** Whether it came after other tasks of its tenant. */
  isBehindOwn: boolean;
  name: string;
  rule: Rule;
  rest: unknown[];
  queuedAtMs: number;
  /** From the task's start; null for a query. */
  deadlineMs: number | null;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Threads of a lane, started on demand, each with its own connections and one task at a time. A task's
 * deadline includes waiting for a free thread if it is a query. One tenant's tasks use at most half of the
 * threads, so that others find a free one, however expensive those are; its queries only one thread, though
 * never the last free one, if its recent ones took much time. Time is charged to the budget of the work
 * that a task belongs to, and work without time left is refused.
 */
export function startThreads<Ops extends Operations>(
  lane: Lane<Ops>,
  options: ThreadsOptions,
): Threads<Ops> {
  const { entry, name: laneName, timeoutMs, clock, noteHold, noteSlow } = options;
  const opening = () => ({
    ...{ lane: laneName, path: options.path, node: options.node },
    memory: options.memory(),
  });
  const threads = createThreadPool(entry, opening, { onMessage: receive, onFailure: lose });
  const turnOf = turnsOf(lane.operations);
  const waiting = createFairQueue<Task>(turnsMax);
  const running = new Map<Worker, Task & { cancel(): void }>();
  let closed = false;

  function receive(thread: Worker, message: FromThread): void {
    if ("held" in message) {
      const { work, heldMs } = message.held;
      noteHold(work, heldMs);
      running.get(thread)?.work.budget?.charge("lock", heldMs);
    } else if ("slow" in message) {
      const call = `${laneName}.${running.get(thread)?.name}`;
      noteSlow(call, message.slow.sql, message.slow.tookMs);
    } else settle(thread, message);
  }

  function settle(thread: Worker, outcome: Outcome): void {
    const task = over(thread);
    // A late message from a thread that has already been ended.
    if (task === undefined) return;
    if (kindOf(task.rule) === "database") {
      task.work.budget?.charge("database", outcome.processorMs);
    }
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
    const { deadline, refuses, atOnce } = task.rule;
    if (atOnce !== undefined && runningBy(task.rule) >= atOnce) return 0;
    if (refuses === "never") return lane.threads;
    if (deadline !== "query" || isLight(task)) return Math.ceil(lane.threads / 2);
    const isLast = lane.threads > 1 && running.size === lane.threads - 1;
    return isLast ? 0 : 1;
  }

  function runningBy(rule: Rule): number {
    return [...running.values()].filter((task) => task.rule === rule).length;
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
    while (running.size < lane.threads) {
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
      const { rule, work, deadlineMs } = task;
      const cancel =
        deadlineMs === null
          ? () => {}
          : clock.after(deadlineMs, () => leaveBehind(thread, deadlineMs));
      running.set(thread, { ...task, cancel });
      if (rule.refuses !== "never" && work.begun !== "lock") work.begun = kindOf(rule);
      const leftMs = rule.deadline === "query" ? timeoutMs - waitedMs(task) : null;
      send(thread, { name: task.name, rest: task.rest, timeoutMs: leftMs });
    }
  }

  function waitedMs({ queuedAtMs }: Task): number {
    return clock.monotonic() - queuedAtMs;
  }

  /** Why a task is not run although it is its turn. */
  function refusalOf(task: Task): AppError | null {
    const { rule, work } = task;
    const spent = timeSpent(rule, work);
    if (spent !== null) return spent;
    if (rule.deadline !== "query") return null;
    // Its organization's own queries are in the way. Half of the time is left for this query itself, which
    // would otherwise be answered 503 for them.
    const isOwnFault = task.isBehindOwn && !isLight(task) && mayRefuse(rule, work);
    if (waitedMs(task) < (isOwnFault ? timeoutMs / 2 : timeoutMs)) return null;
    options.noteRefused(isOwnFault ? "own" : "others");
    return isOwnFault ? ownQueueLong() : queryTimeout();
  }

  /** Why work may not begin; null if it may, or has. */
  function timeSpent(rule: Rule, work: Work): AppError | null {
    if (rule.refuses === "never" || !mayRefuse(rule, work)) return null;
    const kind = kindOf(rule);
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

  async function call(name: string, rest: unknown[]): Promise<unknown> {
    const rule = ruleOf(lane, name);
    const work = currentWork();
    const refusal = timeSpent(rule, work);
    if (refusal !== null) throw refusal;
    if (rule.refuses === "paced" && work.begun !== null) {
      const pauseMs = work.budget?.pauseMs(kindOf(rule)) ?? 0;
      if (pauseMs > 0) await clock.sleep(pauseMs);
    }
    return new Promise((resolve, reject) => {
      if (closed) {
        reject(stopping());
        return;
      }
      const tenant = turnOf(rule, work.tenant);
      waiting.add({
        tenant,
        work,
        isBehindOwn: waiting.isBehindOwn(tenant),
        name,
        rule,
        rest,
        queuedAtMs: clock.monotonic(),
        deadlineMs: deadlineOf(rule, rest),
        resolve,
        reject,
      });
      next();
    });
  }

  return {
    calls: callsOf(lane.operations, call),

    load: () => ({ threads: lane.threads, busy: running.size, waiting: waiting.waiting() }),

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
  lane: Pick<Lane<Ops>, "operations">,
  db: Database,
  clock: Clock,
): Threads<Ops> {
  const { operations } = lane;
  return {
    calls: callsOf(operations, async (name, rest) => {
      const run = async (): Promise<unknown> => operations[name]?.run(db, clock, ...rest);
      const deadlineMs = deadlineOf(ruleOf(lane, name), rest);
      return deadlineMs === null ? run() : withDeadline(clock, { deadlineMs }, run);
    }),
    load: () => ({ threads: 0, busy: 0, waiting: 0 }),
    rest() {},
    close: async () => {},
  };
}

function ruleOf({ operations }: Pick<Lane, "operations">, name: string): Rule {
  const operation = operations[name];
  if (operation === undefined) throw new Error(`no operation ${name}`);
  return operation.rule;
}

/** The time that operations take: of a thread's processor, or of the write lock. */
function kindOf({ access }: Rule): TimeKind {
  return access === "reader" ? "database" : "lock";
}

/** Whether work may be refused: not if it has begun here, and no longer once it has changed anything. */
function mayRefuse(rule: Rule, { begun }: Work): boolean {
  return begun === null || (begun === "database" && kindOf(rule) === "lock");
}

/**
 * Tells whose turn a task takes. Each rule with a limit of its own has its own line for each tenant, where
 * its tasks wait without holding up those of other rules.
 */
function turnsOf(operations: Operations): (rule: Rule, tenant: Tenant) => Tenant {
  const rules = [...new Set(Object.values(operations).map(({ rule }) => rule))];
  return (rule, tenant) =>
    rule.atOnce === undefined ? tenant : `rule ${rules.indexOf(rule)}, ${tenant}`;
}

/** A task's deadline from its start; null for a query. */
function deadlineOf({ deadline }: Rule, [argument]: readonly unknown[]): number | null {
  if (deadline === "query") return null;
  return typeof deadline === "number" ? deadline : deadline(argument as never);
}

function stopping(): AppError {
  return new AppError("unavailable", message("stopping"));
}
