import { expect, test } from "bun:test";
import { isPausing } from "../../../src/upkeep/jobs/job-run.ts";

const NOW = Date.parse("2026-11-20T12:00:00+03:00");
const run = (startedAt: number | null, finishedAt: number | null) => ({
  ...{ name: "metrics", dueAt: NOW, failure: null },
  ...{ startedAt, finishedAt },
});

test("after a run that followed imports, its job pauses for twenty times as long", () => {
  const last = run(NOW - 1_000, NOW);
  expect(isPausing(last, NOW + 19_999)).toBe(true);
  expect(isPausing(last, NOW + 20_000)).toBe(false);
});

test("a job does not pause if it has never run, its run was cut off, or a wrong clock was ahead", () => {
  expect(isPausing(undefined, NOW)).toBe(false);
  expect(isPausing(run(null, NOW), NOW)).toBe(false);
  expect(isPausing(run(NOW - 1_000, null), NOW)).toBe(false);
  expect(isPausing(run(NOW + 1_000, NOW + 2_000), NOW)).toBe(false);
});
