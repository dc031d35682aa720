import { hostname } from "node:os";

/** Whether a process of this machine runs, by its number. */
export function isRunning(processId: number): boolean {
  try {
    // Signal 0 only asks whether the process is there.
    return process.kill(processId, 0);
  } catch (error) {
    // The process is there, but another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A name of this process that no other has, on any machine or in any container. */
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
  // In a container each start gets the same number: such a name is of a former start.
  return Number(processId) === process.pid || !isRunning(Number(processId));
}
