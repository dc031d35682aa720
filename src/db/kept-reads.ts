import type { Database } from "./database.ts";
import { dataVersion } from "./read-transaction.ts";

/**
 * What is kept under a key, else what `read` finds; where that is undefined, nothing is kept.
 */
export type KeptReads<Key, Value> = (
  key: Key,
  read: (key: Key) => Value | undefined,
) => Value | undefined;

/**
 * Keeps what was read of a database until another connection commits to it, of which SQLite tells at
 * a tenth of what finding a row costs. It does not tell of a connection's own commits: what this one
 * writes may be old in what is kept. Of a database in memory, where one writes all, nothing is kept.
 * @param keptMax how many; then it begins anew
 * @param versionOf of what is kept: where it is as before, a commit changed other things; null tells
 *   nothing
 */
export function createKeptReads<Key, Value>(
  db: Database,
  keptMax: number,
  versionOf: () => number | null = () => null,
): KeptReads<Key, Value> {
  if (db.isInMemory) return (key, read) => read(key);
  const kept = new Map<Key, Value>();
  let seen = Number.NaN;
  let version: number | null = null;

  /** Before it is read: what is committed between the two makes what is kept too new, not too old. */
  function forgetChanged(): void {
    const current = dataVersion(db);
    if (current === seen) return;
    const currentVersion = versionOf();
    if (currentVersion === null || currentVersion !== version) kept.clear();
    seen = current;
    version = currentVersion;
  }

  return (key, read) => {
    forgetChanged();
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = read(key);
    if (value === undefined) return undefined;
    if (kept.size >= keptMax) kept.clear();
    kept.set(key, value);
    return value;
  };
}
