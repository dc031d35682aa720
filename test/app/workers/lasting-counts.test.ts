import { expect, test } from "bun:test";
import { createLastingCounts } from "../../../src/app/workers/question-desk.ts";
import type { MetricsJson } from "../../../src/upkeep/metrics/metrics.ts";

const counter = (name: string): MetricsJson => [
  {
    name,
    help: name,
    type: "counter" as never,
    aggregator: "sum",
    values: [],
    collect: undefined as never,
  },
];

test("counters that cannot be merged are lost, but those before and after them are kept", async () => {
  const counts = createLastingCounts(async (all) => {
    const merged = all.flat();
    if (merged.some(({ name }) => name === "odd")) throw new Error("cannot be merged");
    return merged;
  });
  for (const [worker, name] of ["first", "odd", "last"].entries()) {
    counts.note(worker, counter(name));
    counts.ended(worker);
  }
  expect((await counts.ofEnded()).map(({ name }) => name)).toEqual(["first", "last"]);
});
