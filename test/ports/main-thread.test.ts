import { expect, test } from "bun:test";
import { watchMainThread } from "../../src/ports/system.ts";
import { until } from "../support/until.ts";

test("a main thread that was busy is late by as long", async () => {
  const latest = watchMainThread();
  await until(() => latest() !== null, "the first look");
  const busyUntilMs = performance.now() + 600;
  while (performance.now() < busyUntilMs);
  await until(() => (latest()?.lateMs ?? 0) > 500, "the lateness");
  const { lateMs = 0, waitedMs } = latest() ?? {};
  // Null if the system does not tell.
  expect(waitedMs ?? 0).toBeLessThanOrEqual(lateMs);
}, 60_000);
