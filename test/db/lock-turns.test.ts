import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../src/db/database.ts";
import { createLockTurns, ownWords, RANKS } from "../../src/db/lock.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { inParts, inSlice, inTransaction, SLICE_MS, type Wait } from "../../src/db/transaction.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import { createMachine, type Machine } from "../support/machine.ts";

const USAGE: Wait = { maxMs: 10_000, rank: "usage" };

test("who waits with a higher rank goes first, and of the same rank before who had the lock last", () => {
  const words = ownWords();
  const [mine, others] = [createLockTurns(words), createLockTurns(words)];
  for (const [at, waiting] of RANKS.entries()) {
    others.waits(waiting, 1_000);
    for (const [own, rank] of RANKS.entries()) {
      expect(mine.mayTry(rank, 1_000, false), `${rank} beside ${waiting}`).toBe(own <= at);
      expect(mine.mayTry(rank, 1_000, true), `${rank} again beside ${waiting}`).toBe(own < at);
    }
    others.begins(waiting);
    expect(RANKS.every((rank) => mine.mayTry(rank, 1_000, true))).toBe(true);
  }
});

test("who was killed while waiting is forgotten, whichever way the clock is set", () => {
  const turns = createLockTurns(ownWords());
  turns.waits("usage", 1_000);
  for (const [nowMs, mayTry] of [
    [1_000, false],
    [1_049, false],
    [951, false],
    [1_050, true],
    [950, true],
  ] as const) {
    expect(turns.mayTry("slice", nowMs, false), String(nowMs)).toBe(mayTry);
  }
});

let machine: Machine;
let db: Database;
let other: Database;
beforeEach(() => {
  machine = createMachine();
  db = openDatabase(machine.database, systemClock);
  other = openDatabase(machine.database, systemClock);
  db.exec("CREATE TABLE notes (text TEXT NOT NULL) STRICT");
});
afterEach(async () => {
  db.close();
  other.close();
  await machine.leave();
});

/** Steps that fill a slice each. */
function steps(count: number, note: () => void) {
  let left = count;
  return () => {
    note();
    const endMs = performance.now() + SLICE_MS;
    while (performance.now() < endMs);
    left -= 1;
    return left > 0;
  };
}

test("usage, then a single transaction, get the lock before a slice that began to wait earlier", async () => {
  const order: string[] = [];
  const usage = openDatabase(machine.database, systemClock, "counter");
  const holder = openDatabase(machine.database, systemClock);
  // However slow the machine is, nobody is forgotten.
  const clock: Clock = { ...systemClock, now: () => 1_000 };
  holder.exec("BEGIN IMMEDIATE");
  const all = [
    inParts(
      db,
      clock,
      "test",
      steps(1, () => order.push("slice")),
    ),
    inTransaction(other, clock, "test", () => void order.push("single")),
    inTransaction(usage, clock, "usage", () => void order.push("usage"), USAGE),
  ];
  await systemClock.sleep(5);
  holder.exec("ROLLBACK");
  await Promise.all(all);
  usage.close();
  holder.close();
  expect(order).toEqual(["usage", "single", "slice"]);
});

test("two long works take turns", async () => {
  const order: Database[] = [];
  await Promise.all(
    [db, other].map((on) =>
      inParts(
        on,
        systemClock,
        "test",
        steps(10, () => order.push(on)),
      ),
    ),
  );
  const second = order.findIndex((on) => on !== order[0]);
  expect(second).toBeLessThan(10);
});

test("a slice ends once its work and its commit, as long as the last ones took, fill ten milliseconds", async () => {
  let nowMs = 0;
  const clock: Clock = { ...systemClock, monotonic: () => nowMs };
  const COMMIT_SHARE = 3;
  const steps: number[] = [];
  for (let slices = 0; slices < 30; slices++) {
    let done = 0;
    await inSlice(db, clock, "test", (_tx, isOver) => {
      const begunMs = nowMs;
      do {
        nowMs += 0.5;
        done += 1;
      } while (!isOver());
      nowMs = begunMs + (nowMs - begunMs) * COMMIT_SHARE;
    });
    steps.push(done);
  }
  // At first half of it is left for the commit; then a third of it is work.
  expect(steps[0]).toBe(10);
  const heldMs = steps.slice(10).map((some) => some * 0.5 * COMMIT_SHARE);
  expect(Math.max(...heldMs)).toBeLessThanOrEqual(SLICE_MS + 2);
  expect(Math.min(...heldMs)).toBeGreaterThanOrEqual(SLICE_MS / 2);
});
