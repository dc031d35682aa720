import type { Clock } from "../ports/clock.ts";
import { type Database, statement } from "./database.ts";

/**
 * Runs work whose reads all see the database as it is at one instant. It is cheaper too: a read by
 * itself takes and gives back the file's locks, which costs as much as finding a row.
 */
export function inReadTransaction<T>(db: Database, work: () => T): T {
  begin(db);
  try {
    return work();
  } finally {
    end(db);
  }
}

/** The answer of `dataVersion` in each connection's present read transaction; null before it is asked. */
const versions = new WeakMap<Database, number | null>();

/**
 * Changes whenever another connection has committed, and never by what this one commits. In a read
 * transaction it is that of the instant at which all is read.
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
  // A read that failed may have ended it already.
  if (!db.isInTransaction) return;
  try {
    statement(db, "COMMIT").run();
  } catch {
    // A rollback loses nothing, since nothing was written; a damaged file lets no transaction be committed.
    if (db.isInTransaction) statement(db, "ROLLBACK").run();
  }
}

/** Settles soon. Everything read before the next `await` sees one snapshot, taken after this call. */
type TickSnapshot = () => Promise<void>;

/**
 * Snapshot reads: the requests of one tick of the event loop go on together, in one read transaction
 * (10 µs a request against 17). It begins when all of them wait, so none reads what is older than
 * itself, and ends before anything else happens: what comes later reads what was committed by then.
 * Await the promise directly: through another one, the reads come after the transaction.
 */
export function createTickSnapshots(db: Database, clock: Clock): TickSnapshot {
  let snapshot: Promise<void> | null = null;

  return () => {
    snapshot ??= new Promise((goOn) => {
      clock.endOfTurn(() => {
        snapshot = null;
        const isBegun = hasBegun(db);
        goOn();
        // All that waited for the snapshot are before this in the queue. What throws here ends the process:
        // to read from an old state for ever would be worse.
        if (isBegun) queueMicrotask(() => end(db));
      });
    });
    return snapshot;
  };
}

/** Whether a read transaction was begun; without one each request finds by itself that it cannot read. */
function hasBegun(db: Database): boolean {
  try {
    begin(db);
    return true;
  } catch {
    return false;
  }
}

/**
 * Snapshots of a database in memory are none: requests change it on its one connection before the next
 * wait, which they could not within a read transaction.
 */
export const withoutTickSnapshots: TickSnapshot = async () => {};
