import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCurrent } from "../../src/app/domains.ts";
import { readConfig } from "../../src/config.ts";
import { IN_MEMORY, openInMemory } from "../../src/db/open-database.ts";
import { fakePorts } from "./fake-ports.ts";

let prepared: Promise<Buffer> | null = null;

/**
 * Opens a database as the program does; one in memory is a copy of one that was made new once in this
 * process. Migrations and shipped directories are two thirds of what an appliance's start costs.
 */
export const openPrepared: typeof openCurrent = async (config, ports) => {
  if (config.databasePath !== IN_MEMORY) return openCurrent(config, ports);
  prepared ??= prepare();
  const db = openInMemory(await prepared, ports.clock);
  // Each database has a secret of its own.
  db.exec("UPDATE meta SET value = randomblob(32) WHERE name = 'cursor_secret'");
  return db;
};

async function prepare(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  try {
    const path = join(folder, "prepared.db");
    const db = await openCurrent(readConfig({ KANALOG_DB: path }), fakePorts());
    // A file that says that it has a write-ahead log cannot be opened in memory.
    db.pragma("journal_mode = DELETE");
    db.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
