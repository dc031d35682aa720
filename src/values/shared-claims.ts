import type { Claims } from "./claims.ts";
import { createSharedTable, NO_STATE } from "./shared-table.ts";

/** Names in memory that workers share: one worker at a time has a name, and nobody once it is done. */
export interface SharedClaims extends Claims {
  /** Notes that what was taken is done: nobody takes it any more. */
  keep(name: string): void;
}

/**
 * Each name has a word. Above 0 it is the number of the process that has the name, which is free again where
 * that process has died; below 0 it is the instant at which the name was done.
 * @param isAlive whether a process runs
 */
export function createSharedClaims(
  words: BigInt64Array,
  { processId, nowMs, isAlive }: SharedBy,
): SharedClaims {
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
