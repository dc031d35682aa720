import { describe, expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { createTimeBudgets, DEBT_MAX_S } from "../../../src/customers/limits/limits.ts";
import {
  createRates,
  createSharedBuckets,
  type RateBuckets,
} from "../../../src/customers/limits/rates.ts";
import { createThrottle, throttleBuckets } from "../../../src/doors/site/guard/throttle.ts";
import { makeSharedMemory, openSharedMemory } from "../../../src/ports/system-calls.ts";
import { createSharedClaims, createSharedTable, wordsOfTable } from "../../../src/values/claims.ts";
import { fakeClock } from "../../support/fake-ports.ts";
import { seededRandom } from "../../support/webhook-journey.ts";

/** Limits shared by workers through memory; two views of the same memory stand for two workers. */

const BASE_MS = Date.parse("2026-11-20T12:00:00+03:00");
const KEYS = 64;

const words = (): BigInt64Array => new BigInt64Array(wordsOfTable(KEYS));

function shared(memory: BigInt64Array): RateBuckets {
  return {
    requests: createSharedBuckets(memory, BASE_MS),
    messages: createSharedBuckets(words(), BASE_MS),
  };
}

test("shared buckets give the same verdicts as a process's own, in any sequence", () => {
  const chance = seededRandom(7);
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const [own, ours] = [createRates(clock), createRates(clock, shared(words()))];
  let nowMs = BASE_MS;
  for (let at = 0; at < 20_000; at++) {
    nowMs += chance() < 0.3 ? 0 : Math.floor(chance() * 400);
    const organization = 1 + Math.floor(chance() * 5);
    const rate = [1, 3, 5, 30, 70][organization - 1] ?? 1;
    const way = chance() < 0.5 ? "take" : "takeSoon";
    const [{ bucket: _one, ...expected }, { bucket: _other, ...judged }] = [
      own[way](organization, rate, nowMs),
      ours[way](organization, rate, nowMs),
    ];
    expect(judged.waitMs).toBeCloseTo(expected.waitMs, 3);
    expect({ ...judged, waitMs: 0 }).toEqual({ ...expected, waitMs: 0 });
  }
});

test("two workers together allow one second's worth of requests", () => {
  const memory = words();
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const workers = [createRates(clock, shared(memory)), createRates(clock, shared(memory))];
  const taken = Array.from({ length: 20 }, (_, at) => workers[at % 2]?.take(1, 5, BASE_MS).allowed);
  expect(taken.filter(Boolean)).toHaveLength(5);
  expect(workers[1]?.take(1, 5, BASE_MS + 200).allowed).toBe(true);
  expect(workers[0]?.take(1, 5, BASE_MS + 200).allowed).toBe(false);
  // Waiting tool calls are shared too: ten at a time across all workers.
  const waits = Array.from({ length: 20 }, (_, at) => workers[at % 2]?.takeSoon(2, 100, BASE_MS));
  expect(waits.every((verdict) => verdict?.allowed)).toBe(true);
  for (let at = 0; at < 80; at++) workers[at % 2]?.take(2, 100, BASE_MS);
  const late = Array.from({ length: 14 }, (_, at) => workers[at % 2]?.takeSoon(2, 100, BASE_MS));
  expect(late.filter((verdict) => verdict?.allowed)).toHaveLength(10);
});

test("a clock that is set back refuses nobody for longer than a bucket takes to fill", () => {
  const rates = createRates(fakeClock("2026-11-20T12:00:00+03:00"), shared(words()));
  for (let at = 0; at < 5; at++) rates.take(1, 5, BASE_MS);
  const backMs = BASE_MS - 3_600_000;
  expect(rates.take(1, 5, backMs).allowed).toBe(true);
  expect(rates.take(1, 5, backMs + 3_000).allowed).toBe(true);
});

test("attempts to sign in are counted across all workers", () => {
  const memory = words();
  const throttles = [0, 1].map(() => createThrottle(createSharedBuckets(memory, BASE_MS)));
  const names = ["network 192.0.2.1", "account ada@example.com"];
  const tries = Array.from({ length: 15 }, (_, at) => throttles[at % 2]?.take(names, BASE_MS));
  expect(tries.filter((waitS) => waitS === null)).toHaveLength(10);
  throttles[0]?.giveBack("network 192.0.2.1", BASE_MS);
  expect(throttles[1]?.take(["network 192.0.2.1"], BASE_MS)).toBe(null);
});

/** Budgets of organizations on a plan of 100 ms of database time and 10 ms of write lock per second. */
function budgetsOver(memory: BigInt64Array | null, clock: ReturnType<typeof fakeClock>) {
  const of = createTimeBudgets(
    clock,
    memory === null ? undefined : createSharedBuckets(memory, BASE_MS, DEBT_MAX_S),
  );
  const plan = { databaseMsPerSecond: 100, lockMsPerSecond: 10 };
  return (id: number, user: "programs" | "people" = "programs") =>
    of({ organization: { id }, plan } as Parameters<typeof of>[0], user);
}

test("the time that an organization's work took at one worker is missing at the other", () => {
  const memory = words();
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const [one, other] = [budgetsOver(memory, clock), budgetsOver(memory, clock)];
  // Twenty seconds' worth may be taken at once.
  for (let at = 0; at < 10; at++) [one, other][at % 2]?.(1).charge("database", 199);
  expect([one(1).refusal("database"), other(1).refusal("database")]).toEqual([null, null]);
  one(1).charge("database", 110);
  expect(other(1).refusal("database")).toMatchObject({ retryAfterS: 1 });
  expect(other(1).refusal("lock")).toBeNull();
  expect(other(2).refusal("database")).toBeNull();
  clock.advance(1_001);
  expect(other(1).refusal("database")).toBeNull();
});

test("shared budgets of time refuse exactly when a process's own do, in any sequence", () => {
  const chance = seededRandom(11);
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const memory = words();
  const [own, one, other] = [null, memory, memory].map((of) => budgetsOver(of, clock));
  let refusals = 0;
  for (let at = 0; at < 20_000; at++) {
    if (chance() < 0.5) clock.advance(Math.floor(chance() * 500));
    const id = 1 + Math.floor(chance() * 5);
    const user = chance() < 0.5 ? "programs" : "people";
    const kind = chance() < 0.5 ? "database" : "lock";
    const worker = chance() < 0.5 ? one : other;
    const expected = own?.(id, user).refusal(kind);
    expect(worker?.(id, user).refusal(kind)).toEqual(expected);
    if (expected !== null) refusals += 1;
    const tookMs = chance() * id * (kind === "database" ? 100 : 10);
    for (const budget of [own, worker]) budget?.(id, user).charge(kind, tookMs);
  }
  expect(refusals).toBeGreaterThan(500);
});

test("people's work counts for programs too, but programs' never stops people", () => {
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const of = budgetsOver(null, clock);
  of(1, "programs").charge("lock", 250);
  expect(of(1, "programs").refusal("lock")).not.toBeNull();
  expect(of(1, "people").refusal("lock")).toBeNull();
  of(2, "people").charge("lock", 250);
  expect(of(2, "people").refusal("lock")).not.toBeNull();
  expect(of(2, "programs").refusal("lock")).not.toBeNull();
});

test("nobody waits longer than half a minute for time, whatever the work took or the clock did", () => {
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const memory = words();
  const of = budgetsOver(memory, clock);
  of(1).charge("lock", 60_000);
  expect(of(1).refusal("lock")).toMatchObject({ retryAfterS: DEBT_MAX_S });
  clock.advance(DEBT_MAX_S * 1000 + 1);
  expect(of(1).refusal("lock")).toBeNull();
  clock.advance(-3_600_000);
  of(1).charge("lock", 1);
  clock.advance(DEBT_MAX_S * 1000 + 1);
  expect(of(1).refusal("lock")).toBeNull();
});

test("a form completed by one worker is known to the others, and one begun by a dead worker is free", () => {
  const memory = words();
  const alive = new Set([1, 2]);
  const [one, two] = [1, 2].map((processId) =>
    createSharedClaims(memory, {
      processId,
      nowMs: () => BASE_MS,
      isAlive: (id) => alive.has(id),
    }),
  );
  expect(one?.take("form")).toBe(true);
  expect(two?.take("form")).toBe(false);
  one?.giveBack("form");
  expect(two?.take("form")).toBe(true);
  two?.keep("form");
  alive.clear();
  expect(one?.take("form")).toBe(false);
  expect(one?.take("other")).toBe(true);
  expect(two?.take("other")).toBe(true);
});

test("a full table evicts the oldest entry, never the newest", () => {
  const memory = words();
  const table = createSharedTable(memory, Number);
  const chance = seededRandom(3);
  for (let at = 1n; at <= 1_000n; at++) {
    const key = BigInt(Math.floor(chance() * 2 ** 48)) + 1n;
    table.change(key, () => at);
    expect(table.read(key)).toBe(at);
  }
});

test("an exhausted limit is remembered while strangers take one attempt of each of 100,000 names", () => {
  const throttle = createThrottle(throttleBuckets(BASE_MS));
  const [account, email] = ["account ada@example.com", "mail ada@example.com"];
  while (throttle.take([account], BASE_MS) === null);
  while (throttle.take([email], BASE_MS) === null);
  for (let at = 0; at < 100_000; at += 1) {
    throttle.take([`network 2001:db8:${at % 1_000}:${Math.floor(at / 1_000)}::/64`], BASE_MS);
  }
  expect(throttle.take([account], BASE_MS)).toBe(5);
  expect(throttle.take([email], BASE_MS)).toBe(1200);
});

describe.if(process.platform === "linux")("in memory shared by processes", () => {
  test("concurrent counts in one word are all kept", async () => {
    const COUNTED = 20_000;
    const descriptor = makeSharedMemory(4_096, "test");
    const script = `
      import { openSharedMemory } from ${JSON.stringify(import.meta.resolve("../../../src/ports/system-calls.ts"))};
      import { createSharedTable } from ${JSON.stringify(import.meta.resolve("../../../src/values/claims.ts"))};
      const table = createSharedTable(openSharedMemory(3), Number);
      for (let at = 0; at < ${COUNTED}; at++) table.change(5n, (state) => state + 1n);`;
    const children = [1, 2, 3].map(() =>
      Bun.spawn([process.execPath, "-e", script], {
        stdio: ["ignore", "inherit", "inherit", descriptor],
      }),
    );
    for (const child of children) expect(await child.exited).toBe(0);
    const table = createSharedTable(openSharedMemory(descriptor), Number);
    expect(table.read(5n)).toBe(BigInt(3 * COUNTED));
    closeSync(descriptor);
  });
});
