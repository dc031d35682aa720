import type { RateBuckets } from "../../customers/limits/rates.ts";
import { type Buckets, createSharedBuckets } from "../../customers/limits/rates.ts";
import { DEBT_MAX_S } from "../../customers/limits/time-budgets.ts";
import type { Clock } from "../../ports/clock.ts";
import { openSharedMemory } from "../../ports/shared-memory.ts";
import { isRunning } from "../../ports/system.ts";
import { createSharedClaims, type SharedClaims } from "../../values/claims.ts";
import { wordsOfTable } from "../../values/shared-table.ts";

/** Limits that apply across all workers. */
export interface WorkerMemory {
  rates: RateBuckets;
  throttle: Buckets<string>;
  /** Time that organizations' work may take. */
  times: Buckets<string>;
  sentForms: SharedClaims;
  /** Webhook attempts that somebody is waiting for. */
  manualAttempts: SharedClaims;
  /** Slots for customers' exports and for expensive counts. */
  exports: SharedClaims;
  selections: SharedClaims;
}

/** Capacity of each table in names; when it is full, the oldest names are dropped first. */
const CAPACITY = {
  requests: 32_768,
  messages: 8_192,
  throttle: 16_384,
  times: 16_384,
  forms: 16_384,
  attempts: 8_192,
  exports: 4_096,
  selections: 1_024,
};
const WORD_BYTES = 8;

export const WORKER_MEMORY_BYTES =
  wordsOfTable(Object.values(CAPACITY).reduce((sum, keys) => sum + keys, 0)) * WORD_BYTES;

/**
 * Opens the memory that all workers share.
 * @param descriptor file descriptor of the memory
 * @param baseMs instant that times in it are relative to, the same for all workers; epoch milliseconds
 */
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
      requests: createSharedBuckets(take(CAPACITY.requests), baseMs),
      messages: createSharedBuckets(take(CAPACITY.messages), baseMs),
    },
    throttle: createSharedBuckets(take(CAPACITY.throttle), baseMs),
    times: createSharedBuckets(take(CAPACITY.times), baseMs, DEBT_MAX_S),
    sentForms: createSharedClaims(take(CAPACITY.forms), by),
    manualAttempts: createSharedClaims(take(CAPACITY.attempts), by),
    exports: createSharedClaims(take(CAPACITY.exports), by),
    selections: createSharedClaims(take(CAPACITY.selections), by),
  };
}
