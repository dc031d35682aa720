import { LRUCache } from "lru-cache";
import { createSharedTable, NO_STATE } from "../../values/shared-table.ts";
import type { Bucket } from "./rate-bucket.ts";

/** Token buckets by name, wherever they are kept. */
export interface Buckets<Name extends string | number> {
  /** Null for one that was never used. */
  look(name: Name, perSecond: number, nowMs: number): Bucket | null;
  /**
   * Replaces a bucket by what `take` makes of it, as if nobody else did so meanwhile.
   * @param take may be called again, with a newer bucket; the last call counts
   */
  change<Verdict extends { bucket: Bucket }>(
    name: Name,
    perSecond: number,
    nowMs: number,
    take: (bucket: Bucket | null) => Verdict,
  ): Verdict;
}

/** @param max names; the one seen the longest ago is forgotten first. Null: all are remembered */
export function createBuckets<Name extends string | number>(max: number | null): Buckets<Name> {
  const buckets = max === null ? new Map<Name, Bucket>() : new LRUCache<Name, Bucket>({ max });
  return {
    look: (name) => buckets.get(name) ?? null,
    change(name, _perSecond, _nowMs, take) {
      const verdict = take(buckets.get(name) ?? null);
      buckets.set(name, verdict.bucket);
      return verdict;
    },
  };
}

/** A clock that was set back leaves no bucket emptier than this. */
const DEBT_MAX = 10;
/** A third of a second and back is a whole token still. */
const ROUNDING = 1e-6;

/** A word is the bits of a number, so that it is swapped whole. */
const numbers = new Float64Array(1);
const bits = new BigInt64Array(numbers.buffer);

function wordOf(number: number): bigint {
  numbers[0] = number;
  const word = bits[0] as bigint;
  return word === NO_STATE ? 1n : word;
}

function numberOf(word: bigint): number {
  bits[0] = word;
  return numbers[0] as number;
}

/**
 * Buckets of all workers of an appliance, in memory that they share. A bucket is stored as the instant
 * at which it had, or will have, no token, which one word holds.
 * @param baseMs instants are stored as milliseconds since then, which keeps the fractions of large rates
 */
export function createSharedBuckets<Name extends string | number>(
  words: BigInt64Array,
  baseMs: number,
): Buckets<Name> {
  const table = createSharedTable(words, (state) =>
    state === NO_STATE ? Number.NEGATIVE_INFINITY : numberOf(state),
  );
  const seed = BigInt(Math.floor(baseMs));
  const keyOf = (name: Name): bigint => {
    const hash = BigInt.asIntN(64, BigInt(Bun.hash.wyhash(String(name), seed)));
    return hash === 0n ? 1n : hash;
  };

  function bucketOf(state: bigint, perSecond: number, nowMs: number): Bucket | null {
    if (state === NO_STATE) return null;
    const emptyForMs = nowMs - baseMs - numberOf(state);
    const tokens = (emptyForMs / 1000) * perSecond;
    const whole = Math.round(tokens);
    const isWhole = Math.abs(tokens - whole) < ROUNDING;
    return { tokens: Math.max(-DEBT_MAX, isWhole ? whole : tokens), updatedAtMs: nowMs };
  }

  return {
    look: (name, perSecond, nowMs) => bucketOf(table.read(keyOf(name)), perSecond, nowMs),
    change(name, perSecond, nowMs, take) {
      let verdict: ReturnType<typeof take> | null = null;
      table.change(keyOf(name), (state) => {
        verdict = take(bucketOf(state, perSecond, nowMs));
        const { tokens, updatedAtMs } = verdict.bucket;
        return wordOf(updatedAtMs - baseMs - (tokens / perSecond) * 1000);
      });
      return verdict as unknown as ReturnType<typeof take>;
    },
  };
}
