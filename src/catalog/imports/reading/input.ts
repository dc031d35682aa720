import { createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { LINE_LENGTH_MAX } from "./recognized.ts";

/** Where rows come from: a file, or standard input. */
export interface Input {
  name: string;
  /** Null if it has no size and can only be read once: standard input, or a pipe. */
  bytes: number | null;
  /**
   * Limit for decompressed data if the file is not the operator's own: kilobytes may expand to terabytes.
   */
  unpackedBytesMax?: number;
  folder: string;
  open(): AsyncIterable<Uint8Array>;
}

const STANDARD_INPUT = "-";

/**
 * The file at a path, or standard input for `-`; nothing is read yet.
 * @throws AppError `not_found` if it does not exist or is a folder
 */
export async function openInput(path: string): Promise<Input> {
  if (path === STANDARD_INPUT) {
    const folder = process.cwd();
    return { name: "standard input", bytes: null, folder, open: () => process.stdin };
  }
  const found = await stat(path).catch(() => null);
  if (found === null) throw new AppError("not_found", message("noFile", { path }));
  if (found.isDirectory()) throw new AppError("not_found", message("isFolder", { path }));
  return {
    name: path,
    bytes: found.isFile() ? found.size : null,
    folder: dirname(resolve(path)),
    open: () => createReadStream(path),
  };
}

/** Recorded as the failure of an interrupted import. */
export const INTERRUPTED = message("importInterrupted");

/** Passes a signal on to another thread, as a 32-bit number in shared memory that is not 0 once it aborts. */
export function sharedStop(signal: AbortSignal): SharedArrayBuffer {
  const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const set = (): void => void Atomics.store(new Int32Array(stop), 0, 1);
  signal.addEventListener("abort", set, { once: true });
  if (signal.aborted) set();
  return stop;
}

/**
 * Makes reading an input end with an error once its import is to stop.
 * @param stop one 32-bit number in shared memory: not 0 once the import is to stop
 * @throws AppError `unavailable` while being read
 */
export function stoppable(input: Input, stop: SharedArrayBuffer): Input {
  const flag = new Int32Array(stop);
  return {
    ...input,
    async *open() {
      for await (const chunk of input.open()) {
        if (Atomics.load(flag, 0) !== 0) throw new AppError("unavailable", INTERRUPTED);
        yield chunk;
      }
    },
  };
}

/**
 * Reads the beginning of a text: until it is enough, the text ends, or it has more characters than any
 * line, since megabytes of blanks are never enough.
 */
export async function beginningOf(
  text: AsyncGenerator<string>,
  isEnough: (beginning: string) => boolean,
): Promise<string> {
  let beginning = "";
  while (!isEnough(beginning) && beginning.length <= LINE_LENGTH_MAX) {
    const next = await text.next();
    if (next.done === true) break;
    beginning += next.value;
  }
  return beginning;
}

/** Puts a first piece back in front of its stream; leaving early also ends the rest. */
export async function* prepend<Piece>(
  first: Piece,
  rest: AsyncGenerator<Piece>,
): AsyncGenerator<Piece> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/**
 * An input that can be read again. One that can be read only once, such as standard input, is copied on
 * first reading into a file that is removed when the process ends.
 * @param folder for that file
 */
export function keptInput(input: Input, folder: string): Input {
  if (input.bytes !== null) return input;
  let kept: number | null = null;
  return {
    ...input,
    async *open() {
      if (kept !== null) {
        yield* createReadStream("", { fd: kept, start: 0, autoClose: false });
        return;
      }
      const fd = openNameless(folder);
      kept = fd;
      for await (const piece of input.open()) {
        writeFileSync(fd, piece);
        yield piece;
      }
    },
  };
}

/** Opens an unlinked file: nothing is left of it, however the process ends. */
function openNameless(folder: string): number {
  const own = mkdtempSync(join(folder, "kanalog-input-"));
  try {
    return openSync(join(own, "rows"), "wx+", 0o600);
  } finally {
    rmSync(own, { recursive: true });
  }
}
