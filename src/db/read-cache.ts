import type { Database } from "./database.ts";
import { dataVersion } from "./read-transaction.ts";

/** Returns the cached value of a key, or reads and caches it; undefined is not cached. */
type ReadCache<Key, Value> = (key: Key, read: (key: Key) => Value | undefined) => Value | undefined;

/**
 * Caches what was read from a database, until another connection commits to it. SQLite reports such commits
 * at a tenth of the cost of finding a row. It does not report the connection's own commits, so what this
 * connection writes may be stale in the cache. An in-memory database has a single connection, which writes
 * everything, so nothing is cached for it.
 * @param entriesMax the cache is emptied when full
 * @param versionOf a number that changes with the cached rows: as long as it stays the same, commits
 * changed other rows and the cache is kept. Null if unknown
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

  /** Called before each read: a commit in between makes the cached value too new, never too old. */
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
