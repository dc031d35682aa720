import { expect, test } from "bun:test";
import { fakePorts } from "../support/fake-ports.ts";
import { holdAnswers, MINUTE_MS, startPushing } from "../support/pushing.ts";

test("a shutdown waits at most 10 seconds for a receiver that hangs", async () => {
  const ports = fakePorts();
  const waitsMs: number[] = [];
  ports.clock.sleep = async (durationMs) => void waitsMs.push(durationMs);
  const pushing = await startPushing({}, ports);
  const { called } = holdAnswers(ports.network);
  await pushing.read([1]);
  ports.clock.advance(MINUTE_MS);
  const looked = pushing.runDue();
  await called;
  // Settles even though the receiver never answers; in a real process the attempt would end with it.
  await pushing.close();
  expect(Math.max(...waitsMs)).toBe(10_000);
  void looked;
});
