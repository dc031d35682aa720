import { dlopen } from "bun:ffi";
import { hostname } from "node:os";

export function isRunning(processId: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    return process.kill(processId, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A name for this process that is unique across machines and containers. */
export function processName(unique: string): string {
  return `${hostname()} ${process.pid} ${unique}`;
}

/**
 * Whether the named process has ended, as far as this machine can tell; false for a process of another
 * machine or container.
 */
export function hasEnded(name: string, own: string): boolean {
  const [host, processId] = name.split(" ");
  if (name === own || host !== hostname()) return false;
  // In a container every start gets the same process id, so a name with ours is from a previous start.
  return Number(processId) === process.pid || !isRunning(Number(processId));
}

/** `PR_SET_PDEATHSIG` of prctl, and the signal that no process can refuse. */
const SIGNAL_AT_PARENTS_DEATH = 1;
const SIGKILL = 9n;

/**
 * Has Linux kill this process as soon as its parent ends, however busy this process is: code of ours would
 * only run once its thread is free. Does nothing if the parent has already ended, or without glibc.
 */
export function dieWithParent(): void {
  try {
    const { symbols } = dlopen("libc.so.6", {
      prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    });
    symbols.prctl(SIGNAL_AT_PARENTS_DEATH, SIGKILL, 0n, 0n, 0n);
  } catch {
    // Another C library; the worker notices that its channel to the parent closes.
  }
}
