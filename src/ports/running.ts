import { hostname } from "node:os";

/** Whether a process with this id runs on this machine. */
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
