import { expect, test } from "bun:test";
import { createFairQueue } from "../../src/values/tenant.ts";

interface Task {
  tenant: number | null;
  name: string;
}

function queueOf(turnsMax: number, names: readonly string[]) {
  const queue = createFairQueue<Task>(() => turnsMax);
  const tasks = names.map((name) => ({ tenant: name.charCodeAt(0), name }));
  for (const task of tasks) queue.add(task);
  /** Takes tasks until none is left, with at most `atOnce` of them running. */
  const taken = (atOnce: number): string[] => {
    const order: string[] = [];
    const running: Task[] = [];
    for (;;) {
      const task = running.length < atOnce ? queue.take() : undefined;
      if (task !== undefined) {
        order.push(task.name);
        running.push(task);
        continue;
      }
      const first = running.shift();
      if (first === undefined) return order;
      queue.end(first);
    }
  };
  return { queue, taken };
}

test("a tenant with many tasks waits behind its own: another's task comes next, however late it came", () => {
  const { taken } = queueOf(1, ["a1", "a2", "a3", "a4", "b1"]);
  expect(taken(1)).toEqual(["a1", "b1", "a2", "a3", "a4"]);
});

test("several tenants take turns, and each one's tasks keep their order", () => {
  const { taken } = queueOf(1, ["a1", "a2", "a3", "b1", "b2", "c1"]);
  expect(taken(1)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("the tenant with the fewest running tasks comes first", () => {
  const { queue } = queueOf(4, ["a1", "a2", "a3"]);
  const names = [queue.take(), queue.take()].map((task) => task?.name);
  queue.add({ tenant: null, name: "own" });
  queue.add({ tenant: null, name: "own too" });
  for (let at = 0; at < 3; at++) names.push(queue.take()?.name);
  expect(names).toEqual(["a1", "a2", "own", "own too", "a3"]);
});

test("a tenant has no more turns at once than allowed, even if nobody else waits", () => {
  const { queue } = queueOf(2, ["a1", "a2", "a3"]);
  const first = queue.take() as Task;
  expect(queue.take()?.name).toBe("a2");
  expect(queue.take()).toBeUndefined();
  expect([queue.waiting(), queue.waitingOf(first.tenant)]).toEqual([1, 1]);
  queue.end(first);
  expect(queue.take()?.name).toBe("a3");
  expect(queue.waiting()).toBe(0);
});

test("a task that is put back is its tenant's next one, and its turn is free", () => {
  const { queue } = queueOf(1, ["a1", "a2"]);
  queue.putBack(queue.take() as Task);
  expect(queue.waiting()).toBe(2);
  expect(queue.take()?.name).toBe("a1");
  expect(queue.take()).toBeUndefined();
});
