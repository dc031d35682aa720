import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Database, statement } from "../../src/db/database.ts";
import { IN_MEMORY, openDatabase } from "../../src/db/open-database.ts";
import { createReadCache } from "../../src/db/read-cache.ts";
import { inReadTransaction } from "../../src/db/read-transaction.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { createMachine, type Machine } from "../support/machine.ts";

const SCHEMA =
  "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER) STRICT; INSERT INTO t VALUES (1, 1)";

describe("what was read", () => {
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

  test("is kept, and read again once another connection has committed", () => {
    const kept = createReadCache<number, number>(db, 10);
    expect([kept(1, read), kept(1, read), reads]).toEqual([1, 1, 1]);
    set(other, 2);
    expect([kept(1, read), kept(1, read), reads]).toEqual([2, 2, 2]);
  });

  test("is kept over what this connection commits, and over what others roll back", () => {
    const kept = createReadCache<number, number>(db, 10);
    kept(1, read);
    db.exec("CREATE TABLE own (n INTEGER) STRICT; INSERT INTO own VALUES (1)");
    other.exec("BEGIN; UPDATE t SET n = 5; ROLLBACK");
    expect([kept(1, read), reads]).toEqual([1, 1]);
  });

  test("is of one instant in a read transaction", () => {
    const kept = createReadCache<number, number>(db, 10);
    const seen = inReadTransaction(db, () => {
      const before = kept(1, read);
      set(other, 2);
      return [before, kept(1, read), read(1)];
    });
    expect(seen).toEqual([1, 1, 1]);
    expect(inReadTransaction(db, () => kept(1, read))).toBe(2);
  });

  test("is new where another commits between the look and the read", () => {
    const kept = createReadCache<number, number>(db, 10);
    const late = (id: number): number | undefined => {
      set(other, 2);
      return read(id);
    };
    expect(kept(1, late)).toBe(2);
    set(other, 3);
    expect(kept(1, read)).toBe(3);
  });

  test("is not kept where there was nothing", () => {
    const kept = createReadCache<number, number>(db, 10);
    expect([kept(7, read), kept(7, read), reads]).toEqual([undefined, undefined, 2]);
  });

  test("is kept for so many keys at the most", () => {
    statement(other, "INSERT INTO t VALUES (2, 2), (3, 3)").run();
    const kept = createReadCache<number, number>(db, 2);
    for (const id of [1, 2, 3, 3, 1]) kept(id, read);
    // The third was one too many: all began anew with it.
    expect(reads).toBe(4);
  });

  test("is kept over commits that leave its version as it is", () => {
    let version = 1;
    const kept = createReadCache<number, number>(db, 10, () => version);
    kept(1, read);
    set(other, 2);
    expect([kept(1, read), reads]).toEqual([1, 1]);
    version = 2;
    set(other, 3);
    expect([kept(1, read), reads]).toEqual([3, 2]);
  });
});

test("Nothing is kept of a database in memory, whose one connection changes it", () => {
  const db = openDatabase(IN_MEMORY, systemClock, "writer");
  db.exec(SCHEMA);
  const kept = createReadCache<number, number>(db, 10);
  const read = (id: number): number | undefined =>
    statement<{ n: number }>(db, "SELECT n FROM t WHERE id = ?").get(id)?.n;
  expect(kept(1, read)).toBe(1);
  statement(db, "UPDATE t SET n = 2").run();
  expect(kept(1, read)).toBe(2);
  db.close();
});
