import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { type Database, statement } from "./database.ts";
import { foundation } from "./migrations/001-foundation.ts";
import { webhooks } from "./migrations/002-webhooks.ts";
import { site } from "./migrations/003-site.ts";
import { inTransaction } from "./transaction.ts";

/** Migration N brings a file of version N-1 to N; the file's version is its `user_version`. */
const MIGRATIONS: readonly string[] = [foundation, webhooks, site];

export const SCHEMA_VERSION = MIGRATIONS.length;

export function schemaVersion(db: Database): number {
  return db.$client.pragma("user_version", { simple: true }) as number;
}

/**
 * Brings the file to this program's schema, in one transaction: all of it or nothing.
 * @returns the version the file had
 * @throws AppError `conflict`, naming both versions, for a file of a newer program
 */
export async function migrate(db: Database, clock: Clock): Promise<number> {
  const found = schemaVersion(db);
  if (found === SCHEMA_VERSION) return found;
  return inTransaction(db, clock, () => {
    // Read again: another process may have migrated while this one waited for the lock.
    const version = schemaVersion(db);
    requireKnownVersion("The database", version);
    if (version === 0 && !isEmpty(db)) {
      throw new AppError("conflict", "The file is a database of another program.");
    }
    for (const sql of MIGRATIONS.slice(version)) db.$client.exec(sql);
    db.$client.pragma(`user_version = ${SCHEMA_VERSION}`);
    return version;
  });
}

/** @throws AppError `conflict`, naming both versions, for one that is newer than this program */
export function requireKnownVersion(what: string, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new AppError(
    "conflict",
    `${what} has schema version ${version}, this program knows versions up to ${SCHEMA_VERSION}. ` +
      "Take the newer program that wrote it.",
  );
}

function isEmpty(db: Database): boolean {
  return statement(db, "SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}
