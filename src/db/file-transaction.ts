import { AsyncLocalStorage } from "node:async_hooks";
import { isStorageFault, storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { isBusy } from "./busy.ts";
import { checkpointIfLong } from "./checkpoint.ts";
import { type Database, statement, type Transaction } from "./database.ts";
import type { Rank } from "./lock-turns.ts";
import { noteTransaction } from "./lock-watch.ts";

/** How to wait while another connection holds the lock. */
export interface Wait {
  maxMs: number;
  rank: Rank;
}

export const SINGLE_WAIT: Wait = { maxMs: 10_000, rank: "single" };
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
