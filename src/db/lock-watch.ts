import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { formatInstant } from "../values/moscow-time.ts";
import type { Database } from "./database.ts";

/** How long `/readyz` keeps reporting a hold that was too long. */
const WARNED_MS = 10 * 60 * 1000;
/** Minimum interval between log lines about the same work. */
const LOG_AGAIN_AFTER_MS = 60_000;

/** Watches how long transactions hold the write lock, and reports those that exceed the limit. */
export function createLockWatch({ clock, log }: { clock: Clock; log: Log }, observe: NoteHold) {
  let longest: { work: string; heldMs: number; at: number; notedMs: number } | null = null;
  const loggedMs = new Map<string, number>();

  return {
    note(work: string, heldMs: number): void {
      observe(work, heldMs);
      if (heldMs <= HOLD_MAX_MS) return;
      const nowMs = clock.monotonic();
      if (longest === null || heldMs >= longest.heldMs || nowMs - longest.notedMs > WARNED_MS) {
        longest = { work, heldMs, at: clock.now(), notedMs: nowMs };
      }
      if (nowMs - (loggedMs.get(work) ?? Number.NEGATIVE_INFINITY) < LOG_AGAIN_AFTER_MS) return;
      loggedMs.set(work, nowMs);
      log.warn({ work, heldMs: Math.round(heldMs) }, "the write lock was held for too long");
    },

    /** A sentence about the longest recent hold above the limit; null if there was none. */
    warning(): string | null {
      if (longest === null || clock.monotonic() - longest.notedMs > WARNED_MS) return null;
      const { work, heldMs, at } = longest;
      return (
        `The work "${work}" held the write lock for ${Math.round(heldMs)} ms at ` +
        `${formatInstant(at)}; the limit is ${HOLD_MAX_MS} ms.`
      );
    },
  };
}

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
const HOLD_MAX_MS = 50;

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
