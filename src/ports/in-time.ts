/**
 * Settles with the work's result, or fails after a maximum time. Uses the system's clock, since it waits
 * for something outside the process.
 * @param late called if the time is over, for the error to fail with; the work itself continues
 */
export function inTime<T>(work: Promise<T>, maxMs: number, late: () => Error): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(late()), maxMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
