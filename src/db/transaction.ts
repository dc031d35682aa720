import { AsyncLocalStorage } from "node:async_hooks";
import { isStorageFault, storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { type Database, statement, type Transaction } from "./database.ts";
import { checkpointIfLong } from "./file/checkpoint.ts";
import { isBusy, lastHoldMs, noteTransaction, type Rank } from "./lock.ts";
import { sharedRowsOf } from "./shared-rows.ts";

/** How to wait while another connection holds the lock. */
export interface Wait {
  maxMs: number;
  rank: Rank;
}

export const SINGLE_WAIT: Wait = { maxMs: 10_000, rank: "single" };

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

/** Pause between two attempts to get the lock. */
const POLL_MS = 1;
/**
 * Time after which a slice no longer gives way to single transactions, which would otherwise keep it waiting
 * for as long as there are always some.
 */
const GIVES_WAY_MS = 1_000;

/**
 * The current transaction of each connection; its promise settles when it ends, so that the next can start.
 */
const underWay = new WeakMap<Database, Promise<void>>();

/** The connection of the transaction that the running code belongs to, while it lasts. */
const within = new AsyncLocalStorage<{ db: Database | null }>();

interface InFile {
  wait?: Wait;
  /** Runs after the work, in its transaction: if it throws, the work is rolled back too. */
  beforeCommit?: (tx: Transaction) => Promise<void>;
  /** Whether foreign keys are enforced; rows that were checked elsewhere may arrive in any order. */
  checksReferences?: boolean;
}

/** Whether the running code belongs to a transaction of this connection. */
export function isWithin(db: Database): boolean {
  return within.getStore()?.db === db;
}

/**
 * Refuses a transaction within another of its connection, for which it would wait for ever.
 * @throws Error
 */
export function refuseNested(db: Database, name: string): void {
  if (isWithin(db)) throw new Error(`${name} was begun within a transaction`);
}

/**
 * A transaction of this file only. Everything should use `inTransaction`, except the code that maintains
 * copies of a cluster.
 */
export async function inFileTransaction<T>(
  db: Database,
  clock: Clock,
  name: string,
  work: (tx: Transaction) => T | Promise<T>,
  { wait = SINGLE_WAIT, beforeCommit, checksReferences = true }: InFile = {},
): Promise<T> {
  refuseNested(db, name);
  const settle = await begin(db, clock, wait, checksReferences);
  const begunMs = clock.monotonic();
  const current: { db: Database | null } = { db };
  const end = (): void => {
    if (!checksReferences) db.pragma("foreign_keys = ON");
    underWay.delete(db);
    current.db = null;
    settle();
    noteTransaction(db, name, clock.monotonic() - begunMs);
  };
  let isCommitted = false;
  try {
    const working = within.run(current, () => work(db as Transaction));
    // Synchronous work is not awaited, or other code reading from this connection would see uncommitted
    // rows.
    const result = working instanceof Promise ? await working : working;
    if (beforeCommit !== undefined) await beforeCommit(db as Transaction);
    statement(db, "COMMIT").run();
    isCommitted = true;
    end();
    // The lock is free by now: nobody but the caller waits for the disk.
    db.flush();
    return result;
  } catch (error) {
    if (db.isInTransaction) statement(db, "ROLLBACK").run();
    throw storageError(error);
  } finally {
    if (!isCommitted) end();
    if (isCommitted) checkpointIfLong(db, clock);
  }
}

/**
 * Waits for the connection's own transaction and for the lock, and begins.
 * @returns ends the wait of the connection's next transaction
 */
async function begin(
  db: Database,
  clock: Clock,
  { maxMs, rank: given }: Wait,
  checksReferences: boolean,
): Promise<() => void> {
  const startedMs = clock.monotonic();
  let hadLockLast = true;
  for (;;) {
    const other = underWay.get(db);
    if (other !== undefined) {
      await other;
      continue;
    }
    const waitedMs = clock.monotonic() - startedMs;
    const rank = given === "slice" && waitedMs >= GIVES_WAY_MS ? "single" : given;
    if (waitedMs >= maxMs || db.turns.mayTry(rank, clock.now(), hadLockLast)) {
      if (tryBegin(db, waitedMs < maxMs, checksReferences)) {
        db.turns.begins(rank);
        const { promise: over, resolve } = Promise.withResolvers<void>();
        underWay.set(db, over);
        return resolve;
      }
      db.turns.waits(rank, clock.now());
    }
    hadLockLast = false;
    await clock.sleep(POLL_MS);
  }
}

/** False if another connection holds the lock and waiting is still allowed. */
function tryBegin(db: Database, mayWait: boolean, checksReferences: boolean): boolean {
  // Set before BEGIN, because SQLite ignores it inside a transaction.
  if (!checksReferences) db.pragma("foreign_keys = OFF");
  try {
    statement(db, "BEGIN IMMEDIATE").run();
    return true;
  } catch (error) {
    if (!checksReferences) db.pragma("foreign_keys = ON");
    if (isBusy(error) && mayWait) return false;
    throw storageError(error);
  }
}

/** Converts a storage fault to `unavailable`; other errors stay as they are. */
function storageError(error: unknown): unknown {
  return isStorageFault(error) ? storageUnavailable(error) : error;
}
