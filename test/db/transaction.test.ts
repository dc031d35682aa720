import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { AppError } from "../../src/errors.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import { fakeClock } from "../support/fake-ports.ts";

let folder: string;
let db: Database;
let other: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-db-"));
  db = openDatabase(join(folder, "a.db"), systemClock);
  other = openDatabase(join(folder, "a.db"), systemClock);
  db.exec("CREATE TABLE notes (text TEXT NOT NULL) STRICT");
});
afterEach(() => {
  db.close();
  other.close();
  rmSync(folder, { recursive: true });
});

const write = (on: Database, text: string | null) =>
  on.prepare("INSERT INTO notes VALUES (?)").run(text);
const notes = () => other.prepare("SELECT text FROM notes").raw().all().flat();

test("work that returns is committed, and its result is passed on", async () => {
  const result = await inTransaction(db, systemClock, "test", () => {
    write(db, "a");
    return write(db, "b").changes;
  });
  expect(result).toBe(1);
  expect(notes()).toEqual(["a", "b"]);
});

test("work that throws is rolled back entirely, and the next transaction is independent of it", async () => {
  const failure = new Error("no");
  const broken = inTransaction(db, systemClock, "test", () => {
    write(db, "a");
    throw failure;
  });
  await expect(broken).rejects.toBe(failure);
  const refused = inTransaction(db, systemClock, "test", () => {
    write(db, "b");
    write(db, null);
  });
  await expect(refused).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_NOTNULL" });
  expect(db.isInTransaction).toBe(false);
  await inTransaction(db, systemClock, "test", () => void write(db, "c"));
  expect(notes()).toEqual(["c"]);
});

test("concurrent transactions on one connection run one after the other", async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      inTransaction(db, systemClock, "test", () => void write(db, String(at))),
    ),
  );
  expect(notes()).toHaveLength(20);
});

test("a transaction waits while another connection holds the lock, and the event loop continues", async () => {
  other.exec("BEGIN IMMEDIATE");
  write(other, "other's");
  let waiting = true;
  const written = inTransaction(db, systemClock, "test", () => void write(db, "mine")).then(() => {
    waiting = false;
  });
  // SQLite itself does not wait, and the event loop runs between two attempts.
  expect(db.pragmaValue("busy_timeout")).toBe(0);
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  expect(waiting).toBe(true);
  other.exec("COMMIT");
  await written;
  expect(notes()).toEqual(["other's", "mine"]);
});

test("a lock that stays is `unavailable` after some seconds, with nothing written", async () => {
  other.exec("BEGIN IMMEDIATE");
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  let sleeps = 0;
  const passing: Clock = {
    ...clock,
    async sleep() {
      sleeps += 1;
      clock.advance(1_000);
    },
  };
  let ran = false;
  const startedAtMs = clock.now();
  const error = await inTransaction(db, passing, "test", () => {
    ran = true;
  }).catch((reason) => reason);
  expect(error).toBeInstanceOf(AppError);
  expect(error.code).toBe("unavailable");
  expect(error.cause.code).toStartWith("SQLITE_BUSY");
  expect(ran).toBe(false);
  expect(sleeps).toBeGreaterThan(1);
  expect(clock.now() - startedAtMs).toBeWithin(5_000, 60_000);
  other.exec("ROLLBACK");
});

test("a transaction started within another one of its connection is refused, and the outer one is rolled back", async () => {
  const nested = inTransaction(db, systemClock, "outer", async () => {
    write(db, "outer");
    await inTransaction(db, systemClock, "inner", () => void write(db, "inner"));
  });
  await expect(nested).rejects.toThrow("inner was begun within a transaction");
  await inTransaction(db, systemClock, "next", () => void write(db, "next"));
  expect(notes()).toEqual(["next"]);
});

test("a reading connection refuses every write", async () => {
  const reader = openDatabase(join(folder, "a.db"), systemClock, "reader");
  try {
    expect(() => write(reader, "a")).toThrow("readonly");
    expect(() => reader.exec("DROP TABLE notes")).toThrow("readonly");
  } finally {
    reader.close();
  }
});

test("a file that is not a database is `unavailable`, naming the file", async () => {
  const path = join(folder, "text.db");
  await Bun.write(path, "this is a text, and has been one for a long time\n".repeat(50));
  const open = () => openDatabase(path, systemClock);
  expect(open).toThrow(AppError);
  expect(open).toThrow(path);
});

test("a transaction is flushed before it counts as committed, once its lock is free for others", async () => {
  let flushed = 0;
  const flush = db.flush.bind(db);
  db.flush = () => {
    flushed += 1;
    expect(notes()).toEqual(["mine"]);
    other.exec("BEGIN IMMEDIATE");
    other.exec("ROLLBACK");
    flush();
  };
  await inTransaction(db, systemClock, "test", () => void write(db, "mine"));
  expect(flushed).toBe(1);
});
