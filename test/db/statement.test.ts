import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../src/db/database.ts";
import { WITHIN_DEADLINE, withQueryDeadline } from "../../src/db/deadline.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { SLOW_MS, sqlOf } from "../../src/db/statement.ts";
import { createSlowLog } from "../../src/db/threads/thread-pool.ts";
import { fakeClock } from "../support/fake-ports.ts";

const clock = fakeClock("2026-11-20T12:00:00+03:00");
let db: Database;
beforeEach(() => {
  db = openDatabase(":memory:", clock);
  db.exec("CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT");
  db.defineFunction("take_ms", (ms) => {
    clock.advance(Number(ms));
    return 1;
  });
});
afterEach(() => db.close());

function errorOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

test("each error of the database has the statement as its private cause, without values", () => {
  const insert = "INSERT INTO notes VALUES (?)";
  db.prepare(insert).run("a secret");
  const cases: [sql: string, work: () => unknown, message: string][] = [
    [insert, () => db.prepare(insert).run("a secret"), "UNIQUE constraint failed: notes.text"],
    [insert, () => db.prepare(insert).run("a", "secret"), "Too many parameter values"],
    [
      "SELECT json(text) FROM notes",
      () => db.prepare("SELECT json(text) FROM notes").all(),
      "malf",
    ],
    [
      "SELECT json(text) FROM notes",
      () => [...db.prepare("SELECT json(text) FROM notes").iterate()],
      "malformed JSON",
    ],
    ["SELECT gone", () => db.prepare("SELECT gone"), "no such column: gone"],
    ["DROP TABLE gone", () => db.exec("DROP TABLE gone"), "no such table: gone"],
  ];
  for (const [sql, work, message] of cases) {
    const error = errorOf(work);
    expect(error.message).toStartWith(message);
    expect(sqlOf(error)).toBe(sql);
    expect(`${error.message} ${error.cause}`).not.toContain("secret");
  }
});

test("a query that timed out has no private cause, because it is not a fault of the program", () => {
  const sql = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    SELECT count(*) FROM n WHERE ${WITHIN_DEADLINE}`;
  const error = errorOf(() =>
    withQueryDeadline(db, clock.monotonic() - 1, () => db.prepare(sql).get()),
  );
  expect(error).toMatchObject({ code: "timeout" });
  expect(error.cause).toBeUndefined();
});

test("a statement that takes 100 ms is reported with its text, whether it succeeds or fails", () => {
  const reports: [sql: string, tookMs: number][] = [];
  db.onSlow((sql, tookMs) => reports.push([sql, tookMs]));
  const [quick, slow] = ["SELECT take_ms(?)", "SELECT take_ms(?) AS slow"];
  db.prepare(quick).get(SLOW_MS - 1);
  db.prepare(slow).get(SLOW_MS);
  db.prepare(slow).all(250);
  const failing = "SELECT take_ms(?), json('{')";
  expect(() => db.prepare(failing).all(300)).toThrow("malformed JSON");
  expect(reports).toEqual([
    [slow, 100],
    [slow, 250],
    [failing, 300],
  ]);
});

test("a slow statement is logged once a minute, with its call and without values", () => {
  const lines: object[] = [];
  const write = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const log = { debug: write, info: write, warn: write, error: write };
  const note = createSlowLog({ clock, log });
  const line = { call: "main", sql: "SELECT a FROM b", message: "a statement was slow" };

  note("main", "SELECT a\n  FROM b", 120.4);
  clock.advance(59_999);
  note("main", "SELECT a\n  FROM b", 130);
  expect(lines).toEqual([{ ...line, durationMs: 120 }]);
  clock.advance(1);
  note("main", "SELECT a\n  FROM b", 140);
  expect(lines).toEqual([
    { ...line, durationMs: 120 },
    { ...line, durationMs: 140 },
  ]);
});
