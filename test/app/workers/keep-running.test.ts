import { expect, test } from "bun:test";
import { keepRunning } from "../../../src/app/workers/supervisor.ts";
import { fakeClock, fakeLog } from "../../support/fake-ports.ts";

test("a worker that cannot be started is tried again, after longer and longer pauses", async () => {
  const stopping = new AbortController();
  const pauses: number[] = [];
  const clock = {
    ...fakeClock("2026-11-20T12:00:00+03:00"),
    sleep: async (ms: number) => void pauses.push(ms),
  };
  const log = fakeLog();
  let starts = 0;
  const startAgain = (): Promise<number> => {
    starts += 1;
    if (starts < 4) throw new Error("ENOMEM");
    stopping.abort();
    return Promise.resolve(0);
  };
  await keepRunning(2, Promise.resolve(137), startAgain, stopping.signal, { clock, log });
  expect(starts).toBe(4);
  expect(pauses).toEqual([500, 1_000, 2_000]);
  expect(log.errors.map(({ message }) => message)).toEqual([
    "a worker ended and will be restarted",
    ...Array.from({ length: 3 }, () => [
      "a worker could not be started",
      "a worker ended and will be restarted",
    ]).flat(),
  ]);
});
