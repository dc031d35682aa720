/**
 * Settles as the work does, or fails after so long without it. By the system's time, as what it waits for is
 * outside.
 * @param late called where the work is not waited for any more, which goes on by itself. @returns what is thrown
 */
export function inTime<T>(work: Promise<T>, maxMs: number, late: () => Error): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(late()), maxMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
