import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCurrent } from "../../src/app/domains.ts";
import { noteChangedRows, sharedTables } from "../../src/cluster/shared-tables.ts";
import { readConfig } from "../../src/config.ts";
import type { Transaction } from "../../src/db/database.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { fakePorts } from "../support/fake-ports.ts";

test("a checkpoint of a long log changes no row that nodes of a cluster share", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  const ports = fakePorts();
  const db = await openCurrent(readConfig({ KANALOG_DB: join(folder, "node.db") }), ports);
  try {
    const changed = noteChangedRows(db, sharedTables(db));
    db.exec("CREATE TABLE ballast (bytes BLOB)");
    const frames = () => db.pragma<{ log: number }>("wal_checkpoint(NOOP)")[0]?.log ?? 0;
    const write = (bytes: number) =>
      inTransaction(db, ports.clock, "test", (tx) => {
        tx.prepare("INSERT INTO ballast VALUES (zeroblob(?))").run(bytes);
      });
    await write(40_000_000);
    expect(frames()).toBeGreaterThan(8_000);
    for (let commits = 0; frames() > 8_000; commits++) {
      expect(commits).toBeLessThan(10);
      await write(1);
    }
    expect(changed.isEmpty(db as Transaction)).toBe(true);
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
});
