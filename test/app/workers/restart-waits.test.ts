import { expect, test } from "bun:test";
import { createRestartWaits } from "../../../src/app/workers/supervisor.ts";

test("a worker is restarted at once, then after longer and longer waits until it stays alive", () => {
  const waitMs = createRestartWaits();
  const early = Array.from({ length: 9 }, () => waitMs(100));
  expect(early).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(waitMs(60_000)).toBe(0);
  expect(waitMs(100)).toBe(500);
});
