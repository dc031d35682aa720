import { dlopen, ptr } from "bun:ffi";
import { closeSync, existsSync, ftruncateSync, openSync, readdirSync, rmSync } from "node:fs";
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

/** Linux's numbers for the two options and their levels. */
const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const IPPROTO_TCP = 6;
const TCP_NOTSENT_LOWAT = 25;

const DESCRIPTORS = "/proc/self/fd";
const INT_BYTES = 4;

/**
 * Limits what the system keeps of an answer that the client has no room for yet. By default that is up to
 * 4 MB, thousands of an export's rows that were charged and will never be read if the client leaves; memory
 * too. Bun has no such option, so it is set through the C library on the sockets that listen, from which
 * each connection inherits it.
 * @returns whether it could be set
 */
export function limitUnsentBytes(bytesMax: number): boolean {
  try {
    const library = dlopen("libc.so.6", {
      getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
      setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
    });
    const { getsockopt, setsockopt } = library.symbols;
    const isListening = (descriptor: number): boolean => {
      const found = new Int32Array(1);
      const length = new Int32Array([INT_BYTES]);
      getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(found), ptr(length));
      return found[0] === 1;
    };
    const value = new Int32Array([bytesMax]);
    const limit = (descriptor: number): boolean =>
      setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, ptr(value), INT_BYTES) === 0;
    const limited = readdirSync(DESCRIPTORS).map(Number).filter(isListening).filter(limit);
    library.close();
    return limited.length > 0;
  } catch {
    return false;
  }
}

/** Size of `struct timex` on 64-bit Linux, and the answer of a clock that no time server keeps. */
const TIMEX_BYTES = 208;
const TIME_ERROR = 5;

/** Whether a time server keeps the system's clock; null if the system does not tell. Linux with glibc only. */
export function isClockKept(): boolean | null {
  try {
    const { symbols, close } = dlopen("libc.so.6", { adjtimex: { args: ["ptr"], returns: "i32" } });
    const state = symbols.adjtimex(ptr(new Uint8Array(TIMEX_BYTES)));
    close();
    return state < 0 ? null : state !== TIME_ERROR;
  } catch {
    return null;
  }
}
