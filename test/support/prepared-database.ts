import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openCurrent } from "../../src/app/domains.ts";
import { readConfig } from "../../src/config.ts";
import { IN_MEMORY, openInMemory } from "../../src/db/open-database.ts";
import { fakePorts } from "./fake-ports.ts";

let prepared: Promise<Buffer> | null = null;

/**
 * Opens a database as the program does, but a new one is a copy of one created once per process: migrations
 * and shipped directories are two thirds of the cost of an appliance's start.
 */
export const openPrepared: typeof openCurrent = async (config, ports) => {
  const path = config.databasePath;
  const isInMemory = path === IN_MEMORY;
  prepared ??= prepare();
  const content = await prepared;
  if (!isInMemory) {
    if (existsSync(path) || !isOurs(dirname(path))) return openCurrent(config, ports);
    writeFileSync(path, content, { mode: 0o600 });
  }
  const db = isInMemory ? openInMemory(content, ports.clock) : await openCurrent(config, ports);
  // Each database has its own secret.
  db.exec("UPDATE meta SET value = randomblob(32) WHERE name = 'cursor_secret'");
  return db;
};

/**
 * Whether a file created in the folder belongs to the folder's owner; otherwise the program would change
 * its owner.
 */
function isOurs(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

async function prepare(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  try {
    const path = join(folder, "prepared.db");
    const db = await openCurrent(readConfig({ KANALOG_DB: path }), fakePorts());
    // A file in WAL mode cannot be opened in memory.
    db.pragma("journal_mode = DELETE");
    db.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
