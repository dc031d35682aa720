import type { Clock } from "../ports/clock.ts";
import type { Database, Transaction } from "./database.ts";
import { inFileTransaction, SINGLE_WAIT, type Wait } from "./file-transaction.ts";
import { lastHoldMs } from "./lock-watch.ts";
import { sharedRowsOf } from "./shared-rows.ts";

export type { Wait } from "./file-transaction.ts";

/** How long a slice of long work holds the lock, commit included. */
export const SLICE_MS = 10;
const SLICE_WAIT: Wait = { ...SINGLE_WAIT, rank: "slice" };

/**
 * How many times longer than its work a slice holds the lock, because of the commit, which writes the
 * changed pages: between one and five times. Each kind of work learns its own from its last slices. The
 * guess rises more than it falls, and so settles where most slices are short enough; a mean would follow
 * each slow moment of the disk.
 */
const SHARE = { least: 1, atFirst: 2, most: 5, up: 1.15, down: 0.95 };
const shares = new WeakMap<Database, Map<string, number>>();

/**
 * Runs `work` in one BEGIN IMMEDIATE transaction: committed when it ends, rolled back when it throws.
 * Waiting for another connection's write lock does not block the thread. On a node of a cluster, PostgreSQL
 * commits the same rows first, in the single turn that all nodes share.
 * @param name the work's name in metrics and the log; one of the program's own words
 * @param work must await nothing but its own queries, and nothing at all on the serving connection, where
 * others would read uncommitted data meanwhile
 * @throws AppError `unavailable` if the lock was not free in time
 * @throws Error if called within another transaction of the same connection, which would deadlock
 */
export async function inTransaction<T>(
  db: Database,
  clock: Clock,
  name: string,
  work: (tx: Transaction) => T | Promise<T>,
  wait: Wait = SINGLE_WAIT,
): Promise<T> {
  const shared = sharedRowsOf(db);
  return shared === null
    ? inFileTransaction(db, clock, name, work, { wait })
    : shared.inTransaction(clock, name, work, wait);
}

/** An operation that is one transaction, of the given name: `transaction("key-revoke", (tx, clock, id) => …)`. */
export function transaction<Rest extends unknown[], T>(
  name: string,
  work: (tx: Transaction, clock: Clock, ...rest: Rest) => T | Promise<T>,
): (db: Database, clock: Clock, ...rest: Rest) => Promise<T> {
  return (db, clock, ...rest) => inTransaction(db, clock, name, (tx) => work(tx, clock, ...rest));
}

/**
 * Runs a slice of long work in a transaction. Connections that wait for the lock go first.
 * @param work stops once `isOver` says that the lock was held long enough
 * @throws AppError `unavailable` as `inTransaction`
 */
export async function inSlice<T>(
  db: Database,
  clock: Clock,
  name: string,
  work: (tx: Transaction, isOver: () => boolean) => T | Promise<T>,
): Promise<T> {
  const ofDatabase = shares.get(db) ?? new Map<string, number>();
  shares.set(db, ofDatabase);
  const share = ofDatabase.get(name) ?? SHARE.atFirst;
  let workedMs = 0;
  const slice = (tx: Transaction): T | Promise<T> => {
    const begunMs = clock.monotonic();
    return work(tx, () => {
      workedMs = clock.monotonic() - begunMs;
      return workedMs * share >= SLICE_MS;
    });
  };
  // Other work of this thread gets its turn too: a lock that is free would be taken again at once.
  await new Promise<void>((resolve) => clock.endOfTurn(resolve));
  const result = await inTransaction(db, clock, name, slice, SLICE_WAIT);
  // On a node of a cluster, whose usage does not wait for the file, a commit also waits for PostgreSQL.
  if (workedMs > 0 && sharedRowsOf(db) === null) {
    const next = share * (lastHoldMs(db) / workedMs > share ? SHARE.up : SHARE.down);
    ofDatabase.set(name, Math.min(SHARE.most, Math.max(SHARE.least, next)));
  }
  return result;
}

/**
 * Runs long work in slices, each of as many steps as fit. If interrupted, it leaves whole steps.
 * @param step a few milliseconds of work; returns false once nothing is left
 * @throws AppError `unavailable` as `inTransaction`
 */
export async function inParts(
  db: Database,
  clock: Clock,
  name: string,
  step: (tx: Transaction) => boolean | Promise<boolean>,
): Promise<void> {
  const slice = async (tx: Transaction, isOver: () => boolean): Promise<boolean> => {
    for (;;) {
      if (!(await step(tx))) return false;
      if (isOver()) return true;
    }
  };
  while (await inSlice(db, clock, name, slice)) {
    // Each slice waits for its turn.
  }
}
