import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkpointBeside } from "../../src/db/file/checkpoint.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { fakeClock } from "../support/fake-ports.ts";

test("a checkpoint that fails under the lock leaves the connection without a busy timeout, as before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  const clock = fakeClock("2025-02-01T12:00:00+03:00");
  const db = openDatabase(join(folder, "kanalog.db"), clock);
  try {
    db.exec("CREATE TABLE ballast (bytes BLOB); INSERT INTO ballast VALUES (zeroblob(10000000))");
    const timeoutsMs: unknown[] = [];
    const pragma = db.pragma.bind(db);
    db.pragma = (text) => {
      if (text !== "wal_checkpoint(RESTART)") return pragma(text);
      timeoutsMs.push(db.pragmaValue("busy_timeout"));
      throw new Error("disk I/O error");
    };
    await expect(checkpointBeside(db, clock, 1_000)).rejects.toThrow("disk I/O error");
    expect([...timeoutsMs, db.pragmaValue("busy_timeout")]).toEqual([10, 0]);
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
});
