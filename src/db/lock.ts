import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { formatInstant } from "../values/moscow-time.ts";
import type { Database } from "./database.ts";
import { giveToOwnerOf } from "./file/file-access.ts";

/**
 * Who goes first when several wait for the write lock: usage, which answers wait for; then single
 * transactions; then slices of long work, of which another always follows.
 */
export const RANKS = ["usage", "single", "slice"] as const;
export type Rank = (typeof RANKS)[number];

/** Ending of the file beside the database whose memory its processes share. */
export const TURNS_ENDING = "-turns";
const BYTES = RANKS.length * BigInt64Array.BYTES_PER_ELEMENT;

/**
 * How long a connection counts as waiting after its last attempt: one that was killed is forgotten then. They
 * try every millisecond, unless their thread is busy.
 */
const WAITS_MS = 50;

/**
 * The order in which connections of all threads and processes get the write lock. SQLite has no queue:
 * whoever tries first after it becomes free gets it, which used to let an import's next transaction pass
 * before usage. So each waiting connection leaves the time of its attempt in shared memory by its rank, and
 * others give way to it. A time needs no cleaning up after a killed process.
 */
export type LockTurns = ReturnType<typeof createLockTurns>;

/** @param words one per rank, shared by the connections of a file */
export function createLockTurns(words: BigInt64Array) {
  const isWaiting = (at: number, nowMs: number): boolean =>
    Math.abs(nowMs - Number(Atomics.load(words, at))) < WAITS_MS;

  return {
    /**
     * Whether a connection may try for the lock: nobody of a higher rank is waiting, nor of its own rank if
     * it had the lock last.
     */
    mayTry(rank: Rank, nowMs: number, hadLockLast: boolean): boolean {
      const own = RANKS.indexOf(rank);
      return RANKS.every((_, at) => {
        const precedes = at < own || (at === own && hadLockLast);
        return !precedes || !isWaiting(at, nowMs);
      });
    },

    /** Called after an attempt that failed. */
    waits: (rank: Rank, nowMs: number): void =>
      void Atomics.store(words, RANKS.indexOf(rank), BigInt(Math.trunc(nowMs))),

    /** Called after one that succeeded. Whoever else is waiting says so again at its next attempt. */
    begins: (rank: Rank): void => void Atomics.store(words, RANKS.indexOf(rank), 0n),
  };
}

/** Memory of this process alone, where a file cannot be mapped, and for databases in memory. */
export function ownWords(): BigInt64Array {
  return new BigInt64Array(RANKS.length);
}

/**
 * Maps the file beside a database. Where that is impossible, as in a folder without space, connections do
 * not see each other and get the lock in any order.
 */
export function sharedWords(path: string): BigInt64Array {
  try {
    const file = path + TURNS_ENDING;
    const descriptor = openSync(file, "a+", 0o600);
    try {
      // Written, because a mapped page without room on the disk would end the process.
      if (fstatSync(descriptor).size < BYTES) writeSync(descriptor, Buffer.alloc(BYTES));
    } finally {
      closeSync(descriptor);
    }
    giveToOwnerOf(path, file);
    const bytes = Bun.mmap(file, { shared: true });
    return new BigInt64Array(bytes.buffer, bytes.byteOffset, RANKS.length);
  } catch {
    return ownWords();
  }
}

const PAUSE_MS = 1;
/** Attempts of `untilFree`, a millisecond apart: half a minute or more. */
const TRIES_MAX = 30_000;
/** How long a process waits for another that makes the file, on a slow machine too. */
const MAKE_MAX_MS = 60_000;

/** Whether the error means that another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/**
 * Retries while another connection holds a lock, often enough to get in between two transactions of an
 * import. Blocks the thread meanwhile.
 */
export function untilFree<T>(work: () => T): T {
  for (let tries = 1; ; tries += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || tries === TRIES_MAX) throw error;
      pauseThread();
    }
  }
}

/**
 * Makes a part of the file unless it is made, or waits for another process that is making it. While it waits
 * it looks again, without the lock: of many processes that start at once, one has work to do.
 * @param find what was made; null until then
 * @param make throws if another connection held the lock for too long
 */
export async function madeOnce<T>(
  clock: Pick<Clock, "monotonic">,
  find: () => T | null,
  make: () => Promise<T>,
): Promise<T> {
  const giveUpAtMs = clock.monotonic() + MAKE_MAX_MS;
  for (;;) {
    const made = find();
    if (made !== null) return made;
    try {
      return await make();
    } catch (error) {
      const isLocked = error instanceof Error && isBusy(error.cause);
      if (!isLocked || clock.monotonic() >= giveUpAtMs) throw error;
    }
  }
}

/** Never notified: waiting on it is a sleep that blocks the thread. */
const neverNotified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Blocks the thread for a millisecond. */
export function pauseThread(): void {
  Atomics.wait(neverNotified, 0, 0, PAUSE_MS);
}

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

export function lastHoldMs(db: Database): number {
  return lastHolds.get(db) ?? 0;
}
