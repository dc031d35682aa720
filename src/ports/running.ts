import { hostname } from "node:os";

/** Whether a process of this machine runs, by its number. */
export function isRunning(processId: number): boolean {
  try {
    // Signal 0 only asks.
    return process.kill(processId, 0);
  } catch (error) {
    // Somebody else's process, which may not be asked.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A name of this process that no other one has, whatever machine or container it runs in. */
export function processName(unique: string): string {
  return `${hostname()} ${process.pid} ${unique}`;
}

/**
 * Whether the process of a name has ended, as far as this machine can tell; false for one of another
 * machine or container.
 */
export function hasEnded(name: string, own: string): boolean {
  const [host, processId] = name.split(" ");
  if (name === own || host !== hostname()) return false;
  // A container's processes have the same number each time: the one before has ended.
  return Number(processId) === process.pid || !isRunning(Number(processId));
}
