import type { Clock } from "../ports/clock.ts";
import { type Database, statement } from "./database.ts";

/**
 * Runs work whose reads all see one snapshot of the database. It is also cheaper: a read on its own takes
 * and releases the file's locks, which costs as much as finding a row.
 */
export function inReadTransaction<T>(db: Database, work: () => T): T {
  begin(db);
  try {
    return work();
  } finally {
    end(db);
  }
}

/** `dataVersion` in each connection's current read transaction; null until it is first read. */
const versions = new WeakMap<Database, number | null>();

/**
 * A number that changes whenever another connection commits, and never through this one's commits. Within a
 * read transaction it belongs to the snapshot that is read.
 */
export function dataVersion(db: Database): number {
  const known = versions.get(db);
  if (typeof known === "number") return known;
  const sql = "PRAGMA data_version";
  const version = statement<{ data_version: number }>(db, sql).get()?.data_version ?? 0;
  if (known === null) versions.set(db, version);
  return version;
}

function begin(db: Database): void {
  statement(db, "BEGIN").run();
  versions.set(db, null);
}

function end(db: Database): void {
  versions.delete(db);
  // A failed read may already have ended it.
  if (!db.isInTransaction) return;
  try {
    statement(db, "COMMIT").run();
  } catch {
    // Rolling back loses nothing, since nothing was written; on a damaged file COMMIT fails.
    if (db.isInTransaction) statement(db, "ROLLBACK").run();
  }
}

/** Settles soon. Everything read before the next `await` sees one snapshot, taken after this call. */
type TickSnapshot = () => Promise<void>;

/**
 * Snapshot reads: all requests of one tick of the event loop share one read transaction (10 µs a request
 * against 17). It begins once all of them are waiting, so nobody reads data older than their request, and
 * ends before anything else runs, so later code sees later commits. Await the promise directly: through
 * another promise, the reads would come after the transaction.
 */
export function createTickSnapshots(db: Database, clock: Clock): TickSnapshot {
  let snapshot: Promise<void> | null = null;

  return () => {
    snapshot ??= new Promise((goOn) => {
      clock.endOfTurn(() => {
        snapshot = null;
        const isBegun = tryBegin(db);
        goOn();
        // Everybody waiting for the snapshot is ahead of this in the queue. If ending it throws, the
        // process ends: reading an old state for ever would be worse.
        if (isBegun) queueMicrotask(() => end(db));
      });
    });
    return snapshot;
  };
}

/** Whether a read transaction began; without one, each request finds out itself that it cannot read. */
function tryBegin(db: Database): boolean {
  try {
    begin(db);
    return true;
  } catch {
    return false;
  }
}

/**
 * For an in-memory database, which has no snapshots: requests write on its one connection before they next
 * wait, which is impossible inside a read transaction.
 */
export const withoutTickSnapshots: TickSnapshot = async () => {};

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
