import { expect, test } from "bun:test";
import { lanes } from "../../src/app/operations.ts";
import type { Lane } from "../../src/db/operations.ts";
import { TASK_MAX_MS } from "../../src/ports/own-work.ts";

test("the appliance's own work of each kind finds a thread, however long that of the others takes", () => {
  for (const lane of [lanes.push, lanes.bulk] satisfies Lane[]) {
    const rules = new Set(
      Object.values<Lane["operations"][string]>(lane.operations).map(({ rule }) => rule),
    );
    const atOnce = [...rules].map((rule) => rule.atOnce ?? Number.POSITIVE_INFINITY);
    expect(atOnce.reduce((sum, most) => sum + most, 0)).toBeLessThanOrEqual(lane.threads);
  }
});

test("nothing long shares a lane with what people wait for", () => {
  for (const [lane, deadline] of [
    [lanes.read, "query"],
    [lanes.write, TASK_MAX_MS],
  ] satisfies [Lane, unknown][]) {
    for (const [name, { rule }] of Object.entries(lane.operations)) {
      expect(rule.deadline, name).toBe(deadline);
    }
  }
});
