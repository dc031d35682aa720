import type { Database } from "./database.ts";

/**
 * Listener called after each write transaction.
 * @param work the transaction's name, from a fixed set
 * @param heldMs from its BEGIN to the end of its COMMIT
 */
export type NoteHold = (work: string, heldMs: number) => void;

/**
 * Longest time a transaction may hold the write lock, since every billed answer waits for it. Only a
 * migration may exceed it, before anything is served.
 */
export const HOLD_MAX_MS = 50;

const listeners = new WeakMap<Database, NoteHold>();
const lastHolds = new WeakMap<Database, number>();

/** Sets the listener for a connection's write transactions. */
export function onLockHeld(db: Database, note: NoteHold): void {
  listeners.set(db, note);
}

/** Reports work that held a connection's write lock to its listener. */
export function noteHold(db: Database, work: string, heldMs: number): void {
  listeners.get(db)?.(work, heldMs);
}

/** Reports a write transaction, and keeps its duration for `lastHoldMs`. */
export function noteTransaction(db: Database, work: string, heldMs: number): void {
  lastHolds.set(db, heldMs);
  noteHold(db, work, heldMs);
}

/** How long the connection's last transaction held the lock, in milliseconds. */
export function lastHoldMs(db: Database): number {
  return lastHolds.get(db) ?? 0;
}
