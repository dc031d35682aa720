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
