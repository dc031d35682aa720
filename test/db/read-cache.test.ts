import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Database, statement } from "../../src/db/database.ts";
import { IN_MEMORY, openDatabase } from "../../src/db/open-database.ts";
import { createReadCache, inReadTransaction } from "../../src/db/read-transaction.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { createMachine, type Machine } from "../support/machine.ts";

const SCHEMA =
  "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER) STRICT; INSERT INTO t VALUES (1, 1)";

describe("a cached read", () => {
  let machine: Machine;
  let other: Database;
  let db: Database;
  let reads: number;

  beforeEach(() => {
    machine = createMachine();
    other = openDatabase(machine.database, systemClock, "writer");
    other.exec(SCHEMA);
    db = openDatabase(machine.database, systemClock, "counter");
    reads = 0;
  });
  afterEach(() => {
    other.close();
    db.close();
    return machine.leave();
  });

  const read = (id: number): number | undefined => {
    reads += 1;
    return statement<{ n: number }>(db, "SELECT n FROM t WHERE id = ?").get(id)?.n;
  };
  const set = (by: Database, n: number): void =>
    void statement(by, "UPDATE t SET n = ? WHERE id = 1").run(n);

  test("is repeated once another connection has committed", () => {
    const cached = createReadCache<number, number>(db, 10);
    expect([cached(1, read), cached(1, read), reads]).toEqual([1, 1, 1]);
    set(other, 2);
    expect([cached(1, read), cached(1, read), reads]).toEqual([2, 2, 2]);
  });

  test("survives commits of its own connection, and rollbacks of others", () => {
    const cached = createReadCache<number, number>(db, 10);
    cached(1, read);
    db.exec("CREATE TABLE own (n INTEGER) STRICT; INSERT INTO own VALUES (1)");
    other.exec("BEGIN; UPDATE t SET n = 5; ROLLBACK");
    expect([cached(1, read), reads]).toEqual([1, 1]);
  });

  test("belongs to the snapshot of a read transaction", () => {
    const cached = createReadCache<number, number>(db, 10);
    const seen = inReadTransaction(db, () => {
      const before = cached(1, read);
      set(other, 2);
      return [before, cached(1, read), read(1)];
    });
    expect(seen).toEqual([1, 1, 1]);
    expect(inReadTransaction(db, () => cached(1, read))).toBe(2);
  });

  test("is up to date if another connection commits between the check and the read", () => {
    const cached = createReadCache<number, number>(db, 10);
    const late = (id: number): number | undefined => {
      set(other, 2);
      return read(id);
    };
    expect(cached(1, late)).toBe(2);
    set(other, 3);
    expect(cached(1, read)).toBe(3);
  });

  test("is not cached if nothing was found", () => {
    const cached = createReadCache<number, number>(db, 10);
    expect([cached(7, read), cached(7, read), reads]).toEqual([undefined, undefined, 2]);
  });

  test("is cached for a limited number of keys", () => {
    statement(other, "INSERT INTO t VALUES (2, 2), (3, 3)").run();
    const cached = createReadCache<number, number>(db, 2);
    for (const id of [1, 2, 3, 3, 1]) cached(id, read);
    // The third key was one too many, so the cache was emptied.
    expect(reads).toBe(4);
  });

  test("survives commits that leave its version unchanged", () => {
    let version = 1;
    const cached = createReadCache<number, number>(db, 10, () => version);
    cached(1, read);
    set(other, 2);
    expect([cached(1, read), reads]).toEqual([1, 1]);
    version = 2;
    set(other, 3);
    expect([cached(1, read), reads]).toEqual([3, 2]);
  });
});

test("nothing is cached of an in-memory database, whose only connection changes it", () => {
  const db = openDatabase(IN_MEMORY, systemClock, "writer");
  db.exec(SCHEMA);
  const cached = createReadCache<number, number>(db, 10);
  const read = (id: number): number | undefined =>
    statement<{ n: number }>(db, "SELECT n FROM t WHERE id = ?").get(id)?.n;
  expect(cached(1, read)).toBe(1);
  statement(db, "UPDATE t SET n = 2").run();
  expect(cached(1, read)).toBe(2);
  db.close();
});
