import type { Asker } from "./asker.ts";

interface Waiting {
  asker: Asker;
}

/**
 * A queue that takes turns between organizations. The next task belongs to whoever has the fewest tasks
 * running; among equals, to whoever has waited longest since its last turn. Somebody with many tasks
 * therefore waits behind their own.
 * @param turnsMax most turns that one organization may have at once, even if nobody else is waiting
 */
export function createFairQueue<Task extends Waiting>(turnsMax: number) {
  /** Waiting tasks by organization; one that just had a turn moves to the end. */
  const waiting = new Map<Asker, Task[]>();
  const turns = new Map<Asker, number>();
  const turnsOf = (asker: Asker): number => turns.get(asker) ?? 0;

  function nextAsker(): Asker | undefined {
    let next: Asker | undefined;
    let fewest = turnsMax;
    for (const asker of waiting.keys()) {
      if (turnsOf(asker) >= fewest) continue;
      next = asker;
      fewest = turnsOf(asker);
    }
    return next;
  }

  function giveUpTurn(asker: Asker): void {
    const left = turnsOf(asker) - 1;
    if (left > 0) turns.set(asker, left);
    else turns.delete(asker);
  }

  return {
    add(task: Task): void {
      const others = waiting.get(task.asker);
      if (others === undefined) waiting.set(task.asker, [task]);
      else others.push(task);
    },

    /** Starts the next task's turn, which lasts until `end`; undefined if no task may start now. */
    take(): Task | undefined {
      const asker = nextAsker();
      if (asker === undefined) return undefined;
      const tasks = waiting.get(asker) ?? [];
      const task = tasks.shift();
      if (tasks.length === 0) waiting.delete(asker);
      turns.set(asker, turnsOf(asker) + 1);
      return task;
    },

    /** Returns a task that got its turn: it waits again, ahead of the asker's other tasks. */
    putBack(task: Task): void {
      giveUpTurn(task.asker);
      waiting.set(task.asker, [task, ...(waiting.get(task.asker) ?? [])]);
    },

    /** Ends a task's turn. */
    end({ asker }: Task): void {
      giveUpTurn(asker);
      const tasks = waiting.get(asker);
      if (tasks === undefined) return;
      waiting.delete(asker);
      waiting.set(asker, tasks);
    },

    waiting: (): number => waiting.values().reduce((sum, { length }) => sum + length, 0),
    waitingOf: (asker: Asker): number => waiting.get(asker)?.length ?? 0,

    /** Empties the queue. @returns the waiting tasks */
    clear(): Task[] {
      const all = [...waiting.values()].flat();
      waiting.clear();
      return all;
    },
  };
}
