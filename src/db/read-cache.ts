import type { Database } from "./database.ts";
import { dataVersion } from "./read-transaction.ts";

/** Answers with the cached value of a key, or reads it; where that finds undefined, nothing is cached. */
type ReadCache<Key, Value> = (key: Key, read: (key: Key) => Value | undefined) => Value | undefined;

/**
 * A cache of what was read of a database, emptied when another connection commits to it: SQLite tells
 * of that at a tenth of what finding a row costs. It does not tell of a connection's own commits, so
 * what this connection writes may be old in the cache. A database in memory has one connection that
 * writes all, and nothing of it is cached.
 * @param entriesMax a full cache is emptied
 * @param versionOf a number that changes with the cached rows; while it stays, commits have changed
 *   other rows, and the cache is not emptied. Null: not known
 */
export function createReadCache<Key, Value>(
  db: Database,
  entriesMax: number,
  versionOf: () => number | null = () => null,
): ReadCache<Key, Value> {
  if (db.isInMemory) return (key, read) => read(key);
  const cached = new Map<Key, Value>();
  let seen = Number.NaN;
  let version: number | null = null;

  /** The check comes before a read: a commit between the two makes the cached value too new, never too old. */
  function emptyIfChanged(): void {
    const current = dataVersion(db);
    if (current === seen) return;
    const currentVersion = versionOf();
    if (currentVersion === null || currentVersion !== version) cached.clear();
    seen = current;
    version = currentVersion;
  }

  return (key, read) => {
    emptyIfChanged();
    const known = cached.get(key);
    if (known !== undefined) return known;
    const value = read(key);
    if (value === undefined) return undefined;
    if (cached.size >= entriesMax) cached.clear();
    cached.set(key, value);
    return value;
  };
}
