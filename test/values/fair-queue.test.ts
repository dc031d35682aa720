import { expect, test } from "bun:test";
import { createFairQueue } from "../../src/values/fair-queue.ts";

interface Task {
  asker: number | null;
  name: string;
}

function queueOf(turnsMax: number, names: readonly string[]) {
  const queue = createFairQueue<Task>(turnsMax);
  const tasks = names.map((name) => ({ asker: name.charCodeAt(0), name }));
  for (const task of tasks) queue.add(task);
  /** Takes all that may have a turn, each over before the next one where `atOnce` is 1. */
  const taken = (atOnce: number): string[] => {
    const order: string[] = [];
    const underWay: Task[] = [];
    for (;;) {
      const task = underWay.length < atOnce ? queue.take() : undefined;
      if (task !== undefined) {
        order.push(task.name);
        underWay.push(task);
        continue;
      }
      const first = underWay.shift();
      if (first === undefined) return order;
      queue.end(first);
    }
  };
  return { queue, taken };
}

test("whoever asks for much waits behind itself: another's task comes next, however late it came", () => {
  const { taken } = queueOf(1, ["a1", "a2", "a3", "a4", "b1"]);
  expect(taken(1)).toEqual(["a1", "b1", "a2", "a3", "a4"]);
});

test("several askers take turns, each in the order in which it asked", () => {
  const { taken } = queueOf(1, ["a1", "a2", "a3", "b1", "b2", "c1"]);
  expect(taken(1)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("the asker with the fewest turns under way comes first", () => {
  const { queue } = queueOf(4, ["a1", "a2", "a3"]);
  const names = [queue.take(), queue.take()].map((task) => task?.name);
  queue.add({ asker: null, name: "own" });
  queue.add({ asker: null, name: "own too" });
  for (let at = 0; at < 3; at++) names.push(queue.take()?.name);
  expect(names).toEqual(["a1", "a2", "own", "own too", "a3"]);
});

test("nobody has more turns at once than it may, though nobody else waits", () => {
  const { queue } = queueOf(2, ["a1", "a2", "a3"]);
  const first = queue.take() as Task;
  expect(queue.take()?.name).toBe("a2");
  expect(queue.take()).toBeUndefined();
  expect([queue.waiting(), queue.waitingOf(first.asker)]).toEqual([1, 1]);
  queue.end(first);
  expect(queue.take()?.name).toBe("a3");
  expect(queue.waiting()).toBe(0);
});

test("a task whose turn is taken back comes next of its asker's, and the turn is free", () => {
  const { queue } = queueOf(1, ["a1", "a2"]);
  queue.putBack(queue.take() as Task);
  expect(queue.waiting()).toBe(2);
  expect(queue.take()?.name).toBe("a1");
  expect(queue.take()).toBeUndefined();
});
