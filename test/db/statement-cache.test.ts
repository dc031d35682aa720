import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  createStatementCache,
  type Database,
  STATEMENTS_KEPT_MAX,
  statement,
} from "../../src/db/database.ts";
import { IN_MEMORY, openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";

describe("prepared statements", () => {
  let db: Database;
  let prepared: string[];
  let cache: ReturnType<typeof createStatementCache>;

  beforeEach(() => {
    db = openDatabase(IN_MEMORY, systemClock);
    prepared = [];
    cache = createStatementCache((sql) => {
      prepared.push(sql);
      return db.prepare(sql);
    });
  });
  afterEach(() => db.close());

  test("are limited to 500 per connection, however many texts callers cause", () => {
    expect(STATEMENTS_KEPT_MAX).toBe(500);
    for (let shape = 0; shape < 3000; shape++) {
      cache.get(`SELECT ${shape}`);
      expect(cache.kept()).toBeLessThanOrEqual(500);
    }
    expect(prepared).toHaveLength(3000);
  });

  test("that are used repeatedly are prepared once, whatever else is prepared", () => {
    const hot = cache.get("SELECT 'hot'");
    for (let shape = 0; shape < 3000; shape++) {
      cache.get(`SELECT ${shape}`);
      expect(cache.get("SELECT 'hot'")).toBe(hot);
    }
    expect(prepared.filter((sql) => sql === "SELECT 'hot'")).toHaveLength(1);
  });

  test("that are unused for long are dropped, and still work for whoever holds them", () => {
    const sql = "SELECT 'held' AS text";
    const held = statement<{ text: string }>(db, sql);
    expect(statement(db, sql)).toBe(held);
    for (let shape = 0; shape < 1000; shape++) statement(db, `SELECT ${shape}`);
    expect(statement(db, sql)).not.toBe(held);
    expect(held.get()).toEqual({ text: "held" });
  });
});
