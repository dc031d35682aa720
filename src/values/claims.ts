import { createSharedTable, NO_STATE } from "./shared-table.ts";

/**
 * Names that only one holder can take at a time: in this process, or across all workers (shared-claims.ts).
 */
export interface Claims {
  /** False if it is already taken. */
  take(name: string): boolean;
  giveBack(name: string): void;
}

export function createOwnClaims(): Claims {
  const taken = new Set<string>();
  return {
    take: (name) => !taken.has(name) && taken.add(name) === taken,
    giveBack: (name) => void taken.delete(name),
  };
}

/**
 * Takes the first free slot of several with one name, numbered from 0.
 * @returns the slot's name, to be given back; null if none is free
 */
export function takeOneOf(claims: Claims, name: string, count: number): string | null {
  for (let at = 0; at < count; at++) {
    const slot = `${name} ${at}`;
    if (claims.take(slot)) return slot;
  }
  return null;
}

/** Claims in memory shared by workers. What a name stands for can be done once and for all. */
export interface SharedClaims extends Claims {
  /** Marks a held name as done: nobody can take it again. */
  keep(name: string): void;
}

/**
 * Each name has one word. A positive word is the id of the process that holds the name, which is free again
 * if that process has died; a negative one is the instant at which the name was done.
 * @param isAlive whether a process runs
 */
export function createSharedClaims(
  words: BigInt64Array,
  { processId, nowMs, isAlive }: SharedBy,
): SharedClaims {
  // The name that was done longest ago is evicted first.
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
