import { AsyncLocalStorage } from "node:async_hooks";
import { isStorageFault, storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { isBusy } from "./busy.ts";
import { checkpointIfLong } from "./checkpoint.ts";
import { type Database, statement, type Transaction } from "./database.ts";
import { noteTransaction } from "./lock-holds.ts";

/** How to wait while another connection holds the lock. */
export interface Wait {
  maxMs: number;
  /** Pause between two attempts. */
  pollMs: number;
}

/**
 * Default wait. Usage, which answers depend on, tries five times as often: where long work runs in several
 * transactions, usage gets in between any two of them instead of queueing with everybody else.
 */
export const USUAL_WAIT: Wait = { maxMs: 10_000, pollMs: 5 };

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
  { wait = USUAL_WAIT, beforeCommit, checksReferences = true }: InFile = {},
): Promise<T> {
  refuseNested(db, name);
  const giveUpAtMs = clock.monotonic() + wait.maxMs;
  for (;;) {
    const other = underWay.get(db);
    if (other !== undefined) await other;
    else if (tryBegin(db, clock.monotonic() < giveUpAtMs, checksReferences)) break;
    else await clock.sleep(wait.pollMs);
  }
  const begunMs = clock.monotonic();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  underWay.set(db, over);
  const current: { db: Database | null } = { db };
  let isCommitted = false;
  try {
    const working = within.run(current, () => work(db as Transaction));
    // Synchronous work is not awaited, or other code reading from this connection would see uncommitted
    // rows.
    const result = working instanceof Promise ? await working : working;
    if (beforeCommit !== undefined) await beforeCommit(db as Transaction);
    statement(db, "COMMIT").run();
    isCommitted = true;
    return result;
  } catch (error) {
    if (db.isInTransaction) statement(db, "ROLLBACK").run();
    throw storageError(error);
  } finally {
    if (!checksReferences) db.pragma("foreign_keys = ON");
    underWay.delete(db);
    current.db = null;
    end();
    noteTransaction(db, name, clock.monotonic() - begunMs);
    if (isCommitted) checkpointIfLong(db, clock);
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
