/** Slots that a key may lie in: one that finds all taken by others takes the oldest one's. */
const GROUP = 8;
const WORDS_PER_SLOT = 2;
/** A slot's state that nobody has written yet. */
export const NO_STATE = 0n;

/** How many words a table of so many keys takes. */
export function wordsOfTable(keys: number): number {
  return keys * WORDS_PER_SLOT;
}

/**
 * A table of one 64-bit word for each key, in memory that several processes write at once.
 * A word is swapped whole, so a process that is killed at any moment leaves no lock and nothing half
 * written.
 * @param words pairs of a key, 0 for a free slot, and its state
 * @param ageOf orders states: of a full group the one with the smallest gives its slot up
 */
export function createSharedTable(words: BigInt64Array, ageOf: (state: bigint) => number) {
  const groups = Math.floor(words.length / (GROUP * WORDS_PER_SLOT));

  /** @returns the place of the key's state, which it takes where it has none */
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
     * Replaces the word of a key by what `work` makes of it, as if nobody else did so meanwhile.
     * @param work may be called again, with a newer word
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
