import { AsyncLocalStorage } from "node:async_hooks";
import { isStorageFault, storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { isBusy } from "./busy.ts";
import { checkpointIfLong } from "./checkpoint.ts";
import { type Database, statement, type Transaction } from "./database.ts";
import { noteTransaction } from "./lock-holds.ts";

/** How a write waits while another connection holds the lock. */
export interface Wait {
  maxMs: number;
  /** From one look to the next. */
  lookMs: number;
}

/**
 * Usage, for which answers wait, looks five times as often: where several work in parts, it gets in
 * between two of them, and not by turns with all.
 */
export const USUAL_WAIT: Wait = { maxMs: 10_000, lookMs: 5 };

/** Transactions under way, by connection, each settled when it is over: the next begins after it. */
const underWay = new WeakMap<Database, Promise<void>>();

/** The connection of the transaction that the running code is part of, until that is over. */
const within = new AsyncLocalStorage<{ db: Database | null }>();

interface InFile {
  wait?: Wait;
  /** Run after the work, in its transaction: what it throws rolls back the work too. */
  beforeCommit?: (tx: Transaction) => Promise<void>;
  /** Whether foreign keys hold meanwhile; rows that were checked elsewhere may come in any order. */
  checksReferences?: boolean;
}

/**
 * A transaction of this file alone: `inTransaction` is for everybody but those who keep the copies of a
 * cluster.
 */
export async function inFileTransaction<T>(
  db: Database,
  clock: Clock,
  name: string,
  work: (tx: Transaction) => T | Promise<T>,
  { wait = USUAL_WAIT, beforeCommit, checksReferences = true }: InFile = {},
): Promise<T> {
  if (within.getStore()?.db === db) throw new Error(`${name} was begun within a transaction`);
  const giveUpAtMs = clock.monotonic() + wait.maxMs;
  for (;;) {
    const other = underWay.get(db);
    if (other !== undefined) await other;
    else if (tryBegin(db, clock.monotonic() < giveUpAtMs, checksReferences)) break;
    else await clock.sleep(wait.lookMs);
  }
  const begunMs = clock.monotonic();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  underWay.set(db, over);
  const current: { db: Database | null } = { db };
  let isCommitted = false;
  try {
    const working = within.run(current, () => work(db as Transaction));
    // Work that waits for nothing is not awaited either: others read on this connection too.
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

/** False where another connection holds the lock and there is time left to wait for it. */
function tryBegin(db: Database, mayWait: boolean, checksReferences: boolean): boolean {
  // SQLite ignores the switch within a transaction.
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

/** A refusal of the storage becomes `unavailable`; any other error stays as it is. */
function storageError(error: unknown): unknown {
  return isStorageFault(error) ? storageUnavailable(error) : error;
}
