import { AsyncLocalStorage } from "node:async_hooks";
import type { Message } from "./messages/messages.ts";

/**
 * Whom the appliance works for, so that scarce resources are shared fairly: an organization, by its number;
 * a visitor of the site without one, by the network; null for the appliance itself and its staff.
 */
export type Tenant = number | string | null;

/** What an organization's work takes: processor time of reading threads, and time of the write lock. */
export type TimeKind = "database" | "lock";

export interface TimeBudget {
  charge(kind: TimeKind, tookMs: number): void;
  /** Why no more work may begin now; null if it may. */
  refusal(kind: TimeKind): { reason: Message; retryAfterS: number } | null;
  /** How long endless work, such as an export, should pause to leave time for everything else. */
  pauseMs(kind: TimeKind): number;
  /** Whether the organization's recent queries took hardly any time. */
  isLight(): boolean;
}

export interface Work {
  readonly tenant: Tenant;
  /** Null if its time is not limited. */
  readonly budget: TimeBudget | null;
  /** Set with its first task on a thread: the last kind of time that it took; null before. */
  begun: TimeKind | null;
}

const works = new AsyncLocalStorage<Work>();

/** Runs work for a tenant: whatever it calls or awaits finds it by `currentWork`. */
export function runFor<T>(tenant: Tenant, budget: TimeBudget | null, work: () => T): T {
  // A page that calls methods for its own organization remains one piece of work.
  if (works.getStore()?.tenant === tenant) return work();
  return works.run({ tenant, budget, begun: null }, work);
}

/** The work that the running code belongs to; the appliance's own outside `runFor`. */
export function currentWork(): Work {
  return works.getStore() ?? { tenant: null, budget: null, begun: null };
}

export function currentTenant(): Tenant {
  return currentWork().tenant;
}

/** A function that belongs to the current work wherever it is called, such as from a stream. */
export function inCurrentWork<Arguments extends unknown[], Result>(
  call: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  const work = currentWork();
  return (...given) => works.run(work, () => call(...given));
}

interface Waiting {
  readonly tenant: Tenant;
}

/**
 * A queue that takes turns between tenants. The next task belongs to the tenant with the fewest tasks
 * running; among equals, to the one that has waited longest since its last turn. A tenant with many tasks
 * therefore waits behind its own.
 * @param turnsMax most turns that a tenant may have at once, even if nobody else is waiting, by its next task
 */
export function createFairQueue<Task extends Waiting>(turnsMax: (task: Task) => number) {
  /** Waiting tasks by tenant; a tenant whose turn has just ended moves to the end. */
  const waiting = new Map<Tenant, Task[]>();
  /** Number of running tasks by tenant; tenants without any are left out. */
  const turns = new Map<Tenant, number>();
  const turnsOf = (tenant: Tenant): number => turns.get(tenant) ?? 0;

  function nextTenant(): Tenant | undefined {
    let next: Tenant | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [tenant, [task]] of waiting) {
      const own = turnsOf(tenant);
      if (own >= fewest || task === undefined || own >= turnsMax(task)) continue;
      next = tenant;
      fewest = own;
    }
    return next;
  }

  function endTurn(tenant: Tenant): void {
    const left = turnsOf(tenant) - 1;
    if (left > 0) turns.set(tenant, left);
    else turns.delete(tenant);
  }

  return {
    add(task: Task): void {
      const others = waiting.get(task.tenant);
      if (others === undefined) waiting.set(task.tenant, [task]);
      else others.push(task);
    },

    /** Starts the next task's turn, which lasts until `end`; undefined if no task may start now. */
    take(): Task | undefined {
      const tenant = nextTenant();
      if (tenant === undefined) return undefined;
      const tasks = waiting.get(tenant) ?? [];
      const task = tasks.shift();
      if (tasks.length === 0) waiting.delete(tenant);
      turns.set(tenant, turnsOf(tenant) + 1);
      return task;
    },

    /** Takes a task's turn back: it waits again, ahead of its tenant's other tasks. */
    putBack(task: Task): void {
      endTurn(task.tenant);
      waiting.set(task.tenant, [task, ...(waiting.get(task.tenant) ?? [])]);
    },

    /** Ends a task's turn; its tenant goes behind the others. */
    end({ tenant }: Task): void {
      endTurn(tenant);
      const tasks = waiting.get(tenant);
      if (tasks === undefined) return;
      waiting.delete(tenant);
      waiting.set(tenant, tasks);
    },

    waiting: (): number => waiting.values().reduce((sum, { length }) => sum + length, 0),
    /** Whether a task of this tenant would come after others of its own. */
    isBehindOwn: (tenant: Tenant): boolean => turnsOf(tenant) > 0 || waiting.has(tenant),
    waitingOf: (tenant: Tenant): number => waiting.get(tenant)?.length ?? 0,

    /** Empties the queue. @returns the waiting tasks */
    clear(): Task[] {
      const all = [...waiting.values()].flat();
      waiting.clear();
      return all;
    },
  };
}

interface Turn extends Waiting {
  begin(): void;
}

/**
 * Runs one task at a time per tenant; the next one waits. Each tenant has a queue of its own, because a
 * shared one would be blocked by a tenant whose task waits for a thread behind its other tasks.
 * @param waitingMax most waiting tasks per tenant
 * @param refusal the error for one too many
 */
export function createTurns(waitingMax: number, refusal: () => Error) {
  const queue = createFairQueue<Turn>(() => 1);

  return {
    /** @throws what `refusal` returns if `waitingMax` tasks of the tenant are waiting */
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      const tenant = currentTenant();
      if (queue.waitingOf(tenant) >= waitingMax) throw refusal();
      const turn = await new Promise<Turn>((resolve) => {
        const waiting: Turn = { tenant, begin: () => resolve(waiting) };
        queue.add(waiting);
        queue.take()?.begin();
      });
      try {
        return await work();
      } finally {
        queue.end(turn);
        queue.take()?.begin();
      }
    },
  };
}
