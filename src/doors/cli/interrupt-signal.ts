/** Aborted when somebody interrupts the command, which then reports what it has done. */
export function interruptSignal(): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt.abort());
  return interrupt.signal;
}
