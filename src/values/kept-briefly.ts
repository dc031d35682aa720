/** How many times as long as it took to make, a value is kept: so making it takes a twentieth of the time. */
const KEPT_TIMES = 20;

/**
 * Returns a function that makes a value for all who ask at the same time, and keeps it briefly, so that
 * visitors who ask on and on cannot keep the process busy. A failure is not kept.
 * @param monotonic milliseconds
 * @param keptMaxMs upper limit for how old a value may get
 */
export function keptBriefly<Value>(
  make: () => Promise<Value>,
  monotonic: () => number,
  keptMaxMs: number,
): () => Promise<Value> {
  let kept: { untilMs: number; value: Promise<Value> } | null = null;

  function makeNow(): { untilMs: number; value: Promise<Value> } {
    const startedMs = monotonic();
    const making = { untilMs: Number.POSITIVE_INFINITY, value: make() };
    making.value.then(
      () => {
        const endedMs = monotonic();
        making.untilMs = endedMs + Math.min(KEPT_TIMES * (endedMs - startedMs), keptMaxMs);
      },
      () => {
        making.untilMs = Number.NEGATIVE_INFINITY;
      },
    );
    return making;
  }

  return () => {
    if (kept === null || monotonic() >= kept.untilMs) kept = makeNow();
    return kept.value;
  };
}

/**
 * Returns a function that keeps the result of the first success; a failure is tried again at the next call.
 * @param make its arguments count only until it has succeeded
 */
export function madeOnce<Arguments extends unknown[], Value>(
  make: (...given: Arguments) => Promise<Value>,
): (...given: Arguments) => Promise<Value> {
  let made: Promise<Value> | null = null;
  return (...given) => {
    made ??= make(...given).catch((error) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/**
 * Returns a function that looks up each key once and remembers the result for good, so it is meant for the
 * duration of one piece of work, or for keys of a fixed set.
 */
export function onceEach<Key, Value extends NonNullable<unknown> | null>(
  lookUp: (key: Key) => Value,
): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = lookUp(key);
      known.set(key, value);
    }
    return value;
  };
}
