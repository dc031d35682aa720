import type { Tenant } from "./tenant.ts";

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
