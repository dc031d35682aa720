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

/** Slots that a key may occupy; if others hold all of them, it replaces the oldest. */
const GROUP = 8;
const WORDS_PER_SLOT = 2;
/** State of a key that has none yet. */
export const NO_STATE = 0n;

export function wordsOfTable(keys: number): number {
  return keys * WORDS_PER_SLOT;
}

/**
 * A table of one 64-bit word per key, in memory that several processes write concurrently. Words are
 * swapped atomically, so a process killed at any moment leaves no lock and nothing half written.
 * @param words pairs of a key (0 for a free slot) and its state
 * @param ageOf orders states: in a full group, the smallest is evicted
 */
export function createSharedTable(words: BigInt64Array, ageOf: (state: bigint) => number) {
  const groups = Math.floor(words.length / (GROUP * WORDS_PER_SLOT));

  /** @returns index of the key's state, allocated if the key is new */
  function placeOf(key: bigint): number {
    const first = (Number(BigInt.asUintN(32, key)) % groups) * GROUP * WORDS_PER_SLOT;
    for (;;) {
      let oldest = first;
      let oldestAge = Number.POSITIVE_INFINITY;
      for (let at = first; at < first + GROUP * WORDS_PER_SLOT; at += WORDS_PER_SLOT) {
        const found = Atomics.load(words, at);
        if (found === key) return at + 1;
        if (found === 0n) {
          const before = Atomics.compareExchange(words, at, 0n, key);
          if (before === 0n || before === key) return at + 1;
        }
        const age = ageOf(Atomics.load(words, at + 1));
        if (age >= oldestAge) continue;
        [oldest, oldestAge] = [at, age];
      }
      const evicted = Atomics.load(words, oldest);
      if (Atomics.compareExchange(words, oldest, evicted, key) !== evicted) continue;
      Atomics.store(words, oldest + 1, NO_STATE);
      return oldest + 1;
    }
  }

  return {
    /**
     * Atomically replaces a key's word with the result of `work`.
     * @param work may be called again with a newer word
     */
    change(key: bigint, work: (state: bigint) => bigint): void {
      const place = placeOf(key);
      for (;;) {
        const state = Atomics.load(words, place);
        if (Atomics.compareExchange(words, place, state, work(state)) === state) return;
      }
    },
    read: (key: bigint): bigint => Atomics.load(words, placeOf(key)),
  };
}
