import { afterEach, beforeEach, expect, test } from "bun:test";
import { openDatabase } from "../../src/db/open-database.ts";
import { fakeClock } from "../support/fake-ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";

let machine: Machine;
beforeEach(async () => {
  machine = createMachine();
  await machine.json(["plan", "list"]);
});
afterEach(() => machine.leave());

/** Replaces a full-text index that a trigger of `posts` uses, on and on, as a rebuild does once. */
const SWAPS = `
  import BetterSqlite3 from "better-sqlite3";
  const db = new BetterSqlite3(process.argv[1], { timeout: 5000 });
  for (let at = 1; ; at++) {
    db.exec("BEGIN IMMEDIATE; CREATE VIRTUAL TABLE swapped_" + at + " USING fts5 (tokens)");
    db.exec("DROP TRIGGER IF EXISTS swapped_gone");
    db.exec("CREATE TRIGGER swapped_gone AFTER DELETE ON posts BEGIN " +
      "DELETE FROM swapped_" + at + " WHERE rowid = old.id; END; COMMIT");
    if (at > 1) db.exec("DROP TABLE swapped_" + (at - 1));
    if (at === 1) console.log("begun");
  }`;

const CONNECTIONS = 300;
const STATEMENTS = 20;

test("statements are prepared beside a process that replaces an index their triggers use", async () => {
  const clock = fakeClock("2026-11-20T12:00:00+03:00");
  await using swaps = Bun.spawn([process.execPath, "-e", SWAPS, machine.database], {
    cwd: `${import.meta.dir}/../..`,
    stdout: "pipe",
    killSignal: "SIGKILL",
  });
  await swaps.stdout.getReader().read();
  for (let opened = 0; opened < CONNECTIONS; opened++) {
    using db = openDatabase(machine.database, clock, "reader");
    for (let at = 0; at < STATEMENTS; at++) db.prepare(`DELETE FROM posts WHERE id = ${at}`);
  }
  expect(swaps.exitCode).toBeNull();
});
