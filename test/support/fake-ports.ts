import { createHash } from "node:crypto";
import type { Clock } from "../../src/ports/clock.ts";
import type { Log } from "../../src/ports/log.ts";
import type { Ports } from "../../src/ports/ports.ts";
import type { Random } from "../../src/ports/random.ts";

/** A clock that stands still until a test moves it; waiting takes no time. */
export interface FakeClock extends Clock {
  set(instant: string): void;
  advance(durationMs: number): void;
}

export function fakeClock(instant: string): FakeClock {
  let nowMs = Date.parse(instant);
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: async () => {},
    set: (to) => {
      nowMs = Date.parse(to);
    },
    advance: (durationMs) => {
      nowMs += durationMs;
    },
  };
}

/** Bytes that look random and are the same in every run. */
export function fakeRandom(): Random {
  let calls = 0;
  return {
    bytes(length) {
      const blocks: Buffer[] = [];
      for (let size = 0; size < length; size += 32) {
        calls += 1;
        blocks.push(createHash("sha256").update(`bytes ${calls}`).digest());
      }
      return Buffer.concat(blocks).subarray(0, length);
    },
    uuid(nowMs) {
      calls += 1;
      const time = nowMs.toString(16).padStart(12, "0");
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(calls).padStart(12, "0")}`;
    },
  };
}

export interface FakeLog extends Log {
  /** Everything logged as an error: what nobody foresaw. */
  errors: { fields: object; message: string }[];
}

export function fakeLog(): FakeLog {
  const errors: FakeLog["errors"] = [];
  return {
    errors,
    info() {},
    warn() {},
    error: (fields, message) => errors.push({ fields, message }),
  };
}

export interface FakePorts extends Ports {
  clock: FakeClock;
  log: FakeLog;
}

/** Friday, 20 November 2026, noon in Moscow, unless a test says otherwise. */
export function fakePorts(instant = "2026-11-20T12:00:00+03:00"): FakePorts {
  return { clock: fakeClock(instant), random: fakeRandom(), log: fakeLog() };
}
