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
