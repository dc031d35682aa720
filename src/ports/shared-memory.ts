import { closeSync, existsSync, ftruncateSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The system's in-memory file system, if there is one: its pages are never written to a disk. */
const MEMORY_FOLDER = "/dev/shm";

/**
 * Creates memory shared by several processes: an unlinked file, which disappears with the last of them,
 * however they end. Linux only.
 * @returns the file descriptor, to be inherited by child processes
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

/** Maps a descriptor's memory as words, on which Atomics also work across processes. */
export function openSharedMemory(descriptor: number): BigInt64Array {
  const bytes = Bun.mmap(`/proc/self/fd/${descriptor}`, { shared: true });
  return new BigInt64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
}
