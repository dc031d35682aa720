import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../src/db/database.ts";
import { WITHIN_DEADLINE, withQueryDeadline } from "../../src/db/deadline.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { fakeClock } from "../support/fake-ports.ts";

let db: Database;
beforeEach(() => {
  db = openDatabase(":memory:", systemClock);
});
afterEach(() => db.close());

const COUNTING = (until: string) => `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${until})
  SELECT count(*) AS n FROM n WHERE ${WITHIN_DEADLINE}`;

const count = (until: string) => db.prepare(COUNTING(until)).raw().get()?.[0];

test("a statement that would run for years stops with `timeout` at its deadline", () => {
  // Each look at the clock is a millisecond later than the one before.
  let looks = 0;
  const clock = { ...systemClock, monotonic: () => looks++ };
  const other = openDatabase(":memory:", clock);
  let error: unknown;
  try {
    withQueryDeadline(other, 60, () => other.prepare(COUNTING("1e15")).get());
  } catch (reason) {
    error = reason;
  } finally {
    other.close();
  }
  expect(error).toMatchObject({ code: "timeout" });
  // The last look ends the timing of the statement.
  expect(looks).toBe(63);
});

test("a statement within its deadline returns its rows", () => {
  const within = () => withQueryDeadline(db, systemClock.monotonic() + 60_000, () => count("5000"));
  expect(within()).toBe(5000);
});

test("without a deadline, and after one, nothing is stopped", () => {
  expect(count("5000")).toBe(5000);
  expect(() => withQueryDeadline(db, systemClock.monotonic() - 1, () => count("5000"))).toThrow();
  expect(count("5000")).toBe(5000);
});

test("the deadline follows the given clock, and the connection keeps working after a timeout", () => {
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  const other = openDatabase(":memory:", clock);
  try {
    const work = () => other.prepare(COUNTING("5000")).raw().get()?.[0];
    expect(withQueryDeadline(other, clock.monotonic(), work)).toBe(5000);
    clock.advance(1);
    expect(() => withQueryDeadline(other, clock.monotonic() - 1, work)).toThrow();
    expect(withQueryDeadline(other, clock.monotonic(), work)).toBe(5000);
  } finally {
    other.close();
  }
});
