import { expect, test } from "bun:test";
import { systemClock } from "../../src/ports/clock.ts";

test("an aborted signal ends a wait at once, whether it is aborted before the wait or during it", async () => {
  const controller = new AbortController();
  const waiting = systemClock.sleep(600_000, controller.signal);
  controller.abort();
  await waiting;
  await systemClock.sleep(600_000, controller.signal);
});

test("a wait that is over leaves no listener on its signal", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  for (let wait = 0; wait < 3; wait++) await systemClock.sleep(1, signal);
  expect(listeners).toBe(0);
});
