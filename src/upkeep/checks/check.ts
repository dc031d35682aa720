import type { Database } from "../../db/database.ts";
import { differences, expectedShape, type SchemaShape, shapeOf } from "../../db/migrate.ts";
import {
  channelFaults,
  directoryFaults,
  fileFaults,
  foreignKeyFaults,
  twinFaults,
} from "./channels.store.ts";
import { usageFaults, webhookFaults } from "./customers.store.ts";
import { postSearchFaults } from "./post-search.store.ts";
import { searchFaults } from "./search.store.ts";

/** One part of the check, with its faults as sentences; empty if all is well. */
export interface CheckResult {
  name: string;
  faults: string[];
}

const CHECKS: readonly { name: string; faults(db: Database): string[] }[] = [
  { name: "file", faults: fileFaults },
  { name: "foreign keys", faults: foreignKeyFaults },
  { name: "channels", faults: channelFaults },
  { name: "twins", faults: twinFaults },
  { name: "directories", faults: directoryFaults },
  { name: "search index", faults: searchFaults },
  { name: "post search", faults: postSearchFaults },
  { name: "usage", faults: usageFaults },
  { name: "webhooks", faults: webhookFaults },
];

/**
 * Checks the invariants of a database in one snapshot; others may write meanwhile. Use a separate reading
 * connection, because FTS5 caches the index's structure.
 * @param onResult called after each part
 */
export function checkDatabase(db: Database, onResult: (result: CheckResult) => void): void {
  db.exec("BEGIN");
  try {
    const schema = { name: "schema", faults: attempt(() => schemaFaults(db)) };
    onResult(schema);
    if (schema.faults.length > 0) return;
    for (const { name, faults } of CHECKS) onResult({ name, faults: attempt(() => faults(db)) });
  } finally {
    // Rolled back, since nothing was written and a commit would fail on a damaged file.
    if (db.isInTransaction) db.exec("ROLLBACK");
  }
}

/** Built once, since it is the same for every file. */
let expected: SchemaShape | null = null;

function schemaFaults(db: Database): string[] {
  expected ??= expectedShape();
  return differences(shapeOf(db), expected).map(
    ({ type, name }) => `The ${type} ${name} is missing or differs from what this program creates.`,
  );
}

/** A part that cannot be read is a fault as well. */
function attempt(work: () => string[]): string[] {
  try {
    return work();
  } catch (error) {
    return [`It cannot be read: ${error instanceof Error ? error.message : String(error)}.`];
  }
}
