import { closeSync, existsSync, ftruncateSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Memory of the system's, where there is such a folder: its pages are never written to a disk. */
const MEMORY_FOLDER = "/dev/shm";

/**
 * Memory for several processes: a file without a name, which ends with the last of them, however they
 * end. Linux only.
 * @returns the descriptor, to be handed to child processes
 */
export function makeSharedMemory(bytes: number, unique: string): number {
  const folder = existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
  const path = join(folder, `kanalog-${process.pid}-${unique}`);
  const descriptor = openSync(path, "wx+", 0o600);
  rmSync(path);
  try {
    ftruncateSync(descriptor, bytes);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

/** The memory behind a descriptor, as words that Atomics swaps between processes too. */
export function openSharedMemory(descriptor: number): BigInt64Array {
  const bytes = Bun.mmap(`/proc/self/fd/${descriptor}`, { shared: true });
  return new BigInt64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
}
