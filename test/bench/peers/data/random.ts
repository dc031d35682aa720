/** Pseudo-random numbers, the same in every run. */
export interface SeededRandom {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Picks the first items often and the last ones rarely, as with words of a language. */
  pickOften<T>(from: readonly T[]): T;
}

/** Mulberry32, seeded by a purpose and a row. */
export function seededRandom(purpose: number, row = 0): SeededRandom {
  let state = (Math.imul(purpose, 0x9e3779b1) ^ Math.imul(row + 1, 0x85ebca6b)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const at = <T>(from: readonly T[], index: number): T => {
    const item = from[index];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (from) => at(from, below(from.length)),
    pickOften: (from) => at(from, Math.floor(from.length * next() ** 3)),
  };
}
