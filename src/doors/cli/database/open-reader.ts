import type { Database } from "../../../db/database.ts";
import { requireKanalogFile } from "../../../db/file/database-copy.ts";
import { openExisting, requireExisting } from "../../../db/open-database.ts";
import { requireKnownVersion, SCHEMA_VERSION, schemaVersion } from "../../../db/schema-version.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { message } from "../../../values/messages/messages.ts";

/**
 * Opens the existing database for reading; the caller closes it.
 * @throws AppError `not_found`; `conflict` for an older one, which only commands that write migrate
 */
export function openReader(path: string, clock: Clock): Database {
  requireExisting(path);
  requireKanalogFile(path);
  const db = openExisting(path, clock);
  try {
    const version = schemaVersion(db);
    requireKnownVersion(path, version);
    if (version < SCHEMA_VERSION) {
      const reason = message("olderFile", { file: path, version, known: SCHEMA_VERSION });
      throw new AppError("conflict", reason);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
