import { beforeEach, describe, expect, test } from "bun:test";
import { hostname } from "node:os";
import { createIsAbandoned, processName } from "../../src/ports/system.ts";
import { fakeClock } from "../support/fake-ports.ts";

const OWN = processName("this");
const ELSEWHERE = "elsewhere 1 other";

let clock: ReturnType<typeof fakeClock>;
let isAbandoned: ReturnType<typeof createIsAbandoned>;
beforeEach(() => {
  clock = fakeClock("2026-11-20T12:00:00+03:00");
  isAbandoned = createIsAbandoned(OWN, 6_000, clock);
});

const work = (heartbeatAt: number, owner: string | null = ELSEWHERE) => ({ owner, heartbeatAt });

describe("work is abandoned", () => {
  test("at once if it has no owner, or its process on this machine has ended", () => {
    expect(isAbandoned(1, work(1, null))).toBe(true);
    expect(isAbandoned(2, work(1, `${hostname()} 999999999 other`))).toBe(true);
    expect(isAbandoned(3, work(1, OWN))).toBe(false);
  });

  test("once its owner has been silent for longer than allowed", () => {
    expect(isAbandoned(1, work(1))).toBe(false);
    clock.advance(6_000);
    expect(isAbandoned(1, work(1))).toBe(false);
    clock.advance(1);
    expect(isAbandoned(1, work(1))).toBe(true);
  });

  test("never while heartbeats come, whatever the owner's clock says", () => {
    for (const heartbeatAt of [5, 4, 3, 2, 1]) {
      expect(isAbandoned(1, work(heartbeatAt))).toBe(false);
      clock.advance(6_000);
      expect(isAbandoned(1, work(heartbeatAt))).toBe(false);
    }
  });

  test("only after a new owner's own silence, even if its heartbeat has the former one's time", () => {
    expect(isAbandoned(1, work(1))).toBe(false);
    clock.advance(6_001);
    expect(isAbandoned(1, work(1, "elsewhere 2 third"))).toBe(false);
    clock.advance(6_001);
    expect(isAbandoned(1, work(1, "elsewhere 2 third"))).toBe(true);
  });
});
