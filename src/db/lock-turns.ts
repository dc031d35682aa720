import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import { giveToOwnerOf } from "./file-owner.ts";

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
