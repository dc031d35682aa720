import { type Buckets, createSharedBuckets } from "../../customers/limits/buckets.ts";
import type { RateBuckets } from "../../customers/limits/rates.ts";
import type { Clock } from "../../ports/clock.ts";
import { isRunning } from "../../ports/running.ts";
import { openSharedMemory } from "../../ports/shared-memory.ts";
import { createSharedClaims, type SharedClaims } from "../../values/shared-claims.ts";
import { wordsOfTable } from "../../values/shared-table.ts";

/** Limits that apply across all workers. */
export interface WorkerMemory {
  rates: RateBuckets;
  throttle: Buckets<string>;
  sentForms: SharedClaims;
  /** Webhook attempts that somebody is waiting for. */
  manualAttempts: SharedClaims;
  /** Slots for customers' exports and for expensive counts. */
  exports: SharedClaims;
  selections: SharedClaims;
}

/** Capacity of each table in names; when it is full, the oldest names are dropped first. */
const ROOM = {
  requests: 32_768,
  messages: 8_192,
  throttle: 16_384,
  forms: 16_384,
  attempts: 8_192,
  exports: 4_096,
  selections: 1_024,
};
const WORD_BYTES = 8;

export const WORKER_MEMORY_BYTES =
  wordsOfTable(Object.values(ROOM).reduce((sum, keys) => sum + keys, 0)) * WORD_BYTES;

/** @param baseMs the same instant for all workers */
export function openWorkerMemory(descriptor: number, baseMs: number, clock: Clock): WorkerMemory {
  const words = openSharedMemory(descriptor);
  let taken = 0;
  const take = (keys: number): BigInt64Array => {
    const from = taken;
    taken += wordsOfTable(keys);
    return words.subarray(from, taken);
  };
  const by = { processId: process.pid, nowMs: clock.now, isAlive: isRunning };
  return {
    rates: {
      requests: createSharedBuckets(take(ROOM.requests), baseMs),
      messages: createSharedBuckets(take(ROOM.messages), baseMs),
    },
    throttle: createSharedBuckets(take(ROOM.throttle), baseMs),
    sentForms: createSharedClaims(take(ROOM.forms), by),
    manualAttempts: createSharedClaims(take(ROOM.attempts), by),
    exports: createSharedClaims(take(ROOM.exports), by),
    selections: createSharedClaims(take(ROOM.selections), by),
  };
}
