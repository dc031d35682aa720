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
  /** The pause between two looks whether the lock is free. */
  lookMs: number;
}

/**
 * Usage, for which answers wait, looks five times as often: where several work in parts, it gets in
 * between two of them, and not by turns with all.
 */
const USUAL_WAIT: Wait = { maxMs: 10_000, lookMs: 5 };

/** A part of long work begins its commit once it has held the lock for so long. */
const PART_MS = 8;
/** Between two parts, so that usage gets in: it looks every millisecond. */
const PARTS_PAUSE_MS = 3;

/** Transactions under way, by connection, each settled when it is over: the next begins after it. */
const underWay = new WeakMap<Database, Promise<void>>();

/** The connection of the transaction that the running code is part of, until that is over. */
const within = new AsyncLocalStorage<{ db: Database | null }>();

/**
 * Runs `work` in one BEGIN IMMEDIATE transaction: committed when it ends, rolled back when it throws.
 * The wait for another connection's write lock blocks no thread.
 * @param name word by which metrics and log tell how long the lock was held: a word of the program's own
 * @param work waits for nothing but queries of its own, and not at all on the connection that serves:
 *   what others read on it meanwhile would not be committed yet
 * @throws AppError `unavailable` when the lock was not free for so long
 * @throws Error where it is begun within another of its connection, which would wait for itself
 */
export async function inTransaction<T>(
  db: Database,
  clock: Clock,
  name: string,
  work: (tx: Transaction) => T | Promise<T>,
  wait: Wait = USUAL_WAIT,
): Promise<T> {
  if (within.getStore()?.db === db) throw new Error(`${name} was begun within a transaction`);
  const giveUpAtMs = clock.monotonic() + wait.maxMs;
  for (;;) {
    const other = underWay.get(db);
    if (other !== undefined) await other;
    else if (tryBegin(db, clock.monotonic() < giveUpAtMs)) break;
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
    statement(db, "COMMIT").run();
    isCommitted = true;
    return result;
  } catch (error) {
    if (db.isInTransaction) statement(db, "ROLLBACK").run();
    throw storageError(error);
  } finally {
    underWay.delete(db);
    current.db = null;
    end();
    noteTransaction(db, name, clock.monotonic() - begunMs);
    if (isCommitted) checkpointIfLong(db, clock);
  }
}

/**
 * Runs long work in transactions that are cut by the time they have held the lock, with pauses.
 * Interrupted, it leaves whole steps.
 * @param step a piece of the work that takes few milliseconds; false once nothing is left
 * @throws AppError `unavailable` as `inTransaction`
 */
export async function inParts(
  db: Database,
  clock: Clock,
  name: string,
  step: (tx: Transaction) => boolean | Promise<boolean>,
): Promise<void> {
  const part = async (tx: Transaction): Promise<boolean> => {
    const endAtMs = clock.monotonic() + PART_MS;
    for (;;) {
      if (!(await step(tx))) return false;
      if (clock.monotonic() >= endAtMs) return true;
    }
  };
  while (await inTransaction(db, clock, name, part)) await clock.sleep(PARTS_PAUSE_MS);
}

/** False where another connection holds the lock and there is time left to wait for it. */
function tryBegin(db: Database, mayWait: boolean): boolean {
  try {
    statement(db, "BEGIN IMMEDIATE").run();
    return true;
  } catch (error) {
    if (isBusy(error) && mayWait) return false;
    throw storageError(error);
  }
}

/** A refusal of the storage becomes `unavailable`; any other error stays as it is. */
function storageError(error: unknown): unknown {
  return isStorageFault(error) ? storageUnavailable(error) : error;
}
