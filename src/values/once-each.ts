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
