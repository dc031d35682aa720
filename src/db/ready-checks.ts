import { dirname } from "node:path";
import type { System } from "../ports/system.ts";
import type { Database } from "./database.ts";
import { SCHEMA_VERSION, schemaVersion } from "./schema-version.ts";

/** With less free space, an import or a long transaction may fill the volume at any moment. */
const FREE_MIN_MIB = 64;
const MIB = 1024 * 1024;

/**
 * Checks whether the database can serve: each returns a sentence about what is wrong, or null. They use the
 * given connection, so that none waits behind somebody's query.
 */
export function databaseChecks(db: Database, system: Pick<System, "freeBytes">) {
  return {
    database: (): string | null =>
      versionOf(db) === null ? "The database does not answer." : null,

    migrations: (): string | null => {
      const version = versionOf(db);
      if (version === null || version === SCHEMA_VERSION) return null;
      return (
        `The database has schema version ${version}, this program needs ${SCHEMA_VERSION}: ` +
        "restart the program that is installed."
      );
    },

    disk: async (): Promise<string | null> => {
      const free = await freeDiskBytes(db, system);
      if (free === null || free >= FREE_MIN_MIB * MIB) return null;
      return `Less than ${FREE_MIN_MIB} MiB are free on the database's volume.`;
    },
  };
}

/** Free bytes on the file's volume; null for an in-memory database, or if the system does not tell. */
export async function freeDiskBytes(
  db: Database,
  system: Pick<System, "freeBytes">,
): Promise<number | null> {
  return db.isInMemory ? null : await system.freeBytes(dirname(db.path)).catch(() => null);
}

/** Schema version of the file; null if the database does not answer. */
function versionOf(db: Database): number | null {
  try {
    return schemaVersion(db);
  } catch {
    return null;
  }
}
