import type { Clock } from "../ports/clock.ts";
import { type Database, statement } from "./database.ts";

/**
 * Runs work whose reads all see the database as it is at one instant. It is cheaper too: a read by
 * itself takes and gives back the file's locks, which costs as much as finding a row.
 */
export function inReadTransaction<T>(db: Database, work: () => T): T {
  statement(db, "BEGIN").run();
  versions.set(db, null);
  try {
    return work();
  } finally {
    versions.delete(db);
    // A read that failed may have ended it already.
    if (db.$client.inTransaction) end(db);
  }
}

/** What `dataVersion` found in the read transaction that each connection is in. */
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

/** Nothing was written, so nothing is lost where a damaged file lets no transaction be committed. */
function end(db: Database): void {
  try {
    statement(db, "COMMIT").run();
  } catch {
    if (db.$client.inTransaction) statement(db, "ROLLBACK").run();
  }
}

/** Begins work soon; what it reads before it first waits is read at one instant after this call. */
export type InReadTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Works that lie ready are begun together, in one read transaction. It begins when all of them were
 * given, so none reads what is older than its request, and ends before anything else happens: what
 * comes later reads what was committed by then.
 */
export function createReadTurns(db: Database, clock: Clock): InReadTurn {
  let ready: (() => void)[] = [];

  function turn(): void {
    const works = ready.values();
    ready = [];
    const beginAll = (): void => {
      for (const work of works) work();
    };
    try {
      inReadTransaction(db, beginAll);
    } catch {
      // Where no transaction can be had, each work finds by itself that it cannot read, and says so.
      beginAll();
    }
  }

  return (work) =>
    new Promise((resolve, reject) => {
      if (ready.length === 0) clock.endOfTurn(turn);
      ready.push(() => {
        // What one throws must keep no other from its beginning, nor end the process.
        try {
          work().then(resolve, reject);
        } catch (error) {
          reject(error);
        }
      });
    });
}

/**
 * For the one connection of a database in memory: works may change it before they first wait,
 * which they could not within a read transaction.
 */
export const withoutReadTurns: InReadTurn = (work) => work();
