/** Slots that a key may occupy; if others hold all of them, it replaces the oldest. */
const GROUP = 8;
const WORDS_PER_SLOT = 2;
/** State of a key that has none yet. */
export const NO_STATE = 0n;

/** Number of words for a table of this many keys. */
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
    const first = Number(BigInt.asUintN(32, key) % BigInt(groups)) * GROUP * WORDS_PER_SLOT;
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
