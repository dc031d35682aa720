import BetterSqlite3 from "better-sqlite3";
import { AppError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";
import { whyRefused } from "./refused-file.ts";
import { requireReleased } from "./schema-version.ts";

/** Faults reported for a damaged file: the first few are enough. */
const DAMAGES_MAX = 3;

/**
 * Verifies a file that nobody writes to.
 * @param check `quick` does not compare indexes with their tables, and takes an eighth of the time
 * @returns its schema version
 * @throws AppError `conflict` if it is not a database of Kanalog, is of a program before the first release,
 * or damaged
 */
export function requireSoundFile(path: string, check: "quick" | "full"): number {
  return inKanalogFile(path, (client, version) => {
    const pragma = check === "full" ? "integrity_check" : "quick_check";
    const rows = client.pragma(`${pragma}(${DAMAGES_MAX})`) as Record<string, string>[];
    const damages = rows.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
    if (damages.length > 0) {
      throw new AppError(
        "conflict",
        message("databaseDamaged", { path, damages: damages.join("; ") }),
      );
    }
    return version;
  });
}

/**
 * Checks that a file is a database of Kanalog before anything would write to it.
 * @throws AppError `conflict` if it is not, is of a program before the first release, or its header cannot
 * be read
 */
export function requireKanalogFile(path: string): void {
  inKanalogFile(path, () => undefined);
}

function inKanalogFile<T>(
  path: string,
  work: (client: BetterSqlite3.Database, version: number) => T,
): T {
  let client: BetterSqlite3.Database | null = null;
  try {
    client = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    const version = client.pragma("user_version", { simple: true }) as number;
    if (version < 1 || !hasMeta(client)) {
      throw new AppError("conflict", message("notOurDatabase", { path }));
    }
    requireReleased(path, version);
    return work(client, version);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "SQLITE_NOTADB") {
      throw new AppError("conflict", message("notDatabase", { path }));
    }
    const reason = whyRefused(path, error);
    throw new AppError("conflict", message("databaseUnreadable", { path, reason }), {
      cause: error,
    });
  } finally {
    client?.close();
  }
}

function hasMeta(client: BetterSqlite3.Database): boolean {
  const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'";
  const fact = "SELECT 1 FROM meta WHERE name = 'cursor_secret'";
  return client.prepare(table).get() !== undefined && client.prepare(fact).get() !== undefined;
}
