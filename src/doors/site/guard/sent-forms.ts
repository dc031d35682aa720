import { LRUCache } from "lru-cache";
import { createSharedTable, NO_STATE } from "../../../values/shared-table.ts";

/** How many forms are remembered; the oldest are forgotten. */
const FORMS_MAX = 10_000;

export interface SentForms {
  /** False where it was taken before. */
  take(name: string): boolean;
  /** Notes that a form that was taken is done. */
  keep(name: string): void;
  /** Forgets a form that failed, so that it may be sent once more. */
  giveBack(name: string): void;
}

/**
 * Remembers forms that must not be done twice, such as one that makes a key, by the number of the page
 * they were on: reloading the answer sends the form once more.
 */
export function createSentForms(): SentForms {
  const sent = new LRUCache<string, true>({ max: FORMS_MAX });
  return {
    take(name) {
      if (sent.has(name)) return false;
      sent.set(name, true);
      return true;
    },

    keep() {},

    giveBack(name) {
      sent.delete(name);
    },
  };
}

/**
 * Remembers forms for all workers of an appliance, in memory that they share. A form's word is the
 * number of the process that does it, and once it is done the instant, below 0: what a worker that died
 * was at may be sent once more.
 * @param isAlive whether a process runs
 */
export function createSharedSentForms(
  words: BigInt64Array,
  { processId, nowMs, isAlive }: SharedBy,
): SentForms {
  // The one that was done the longest ago is forgotten first.
  const table = createSharedTable(words, (state) =>
    state > NO_STATE ? Number.POSITIVE_INFINITY : -Number(state),
  );
  const keyOf = (name: string): bigint => BigInt.asIntN(64, BigInt(Bun.hash.wyhash(name))) | 1n;
  const own = BigInt(processId);
  return {
    take(name) {
      let isTaken = false;
      table.change(keyOf(name), (state) => {
        isTaken = state === NO_STATE || (state > NO_STATE && !isAlive(Number(state)));
        return isTaken ? own : state;
      });
      return isTaken;
    },
    keep: (name) => table.change(keyOf(name), () => -BigInt(Math.floor(nowMs()))),
    giveBack: (name) => table.change(keyOf(name), () => NO_STATE),
  };
}

interface SharedBy {
  processId: number;
  nowMs(): number;
  isAlive(processId: number): boolean;
}
