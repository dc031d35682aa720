import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";

/** Where rows come from: a file, or standard input. */
export interface Input {
  /** As the operator named it. */
  name: string;
  /** Null for what has no size and can be read only once: standard input, a pipe. */
  bytes: number | null;
  /** How much a packed one may hold, where it is not the operator's own: kilobytes may unpack to terabytes. */
  unpackedBytesMax?: number;
  /** The folder to which names of files in it are relative. */
  folder: string;
  open(): AsyncIterable<Uint8Array>;
}

const STANDARD_INPUT = "-";

/** @throws AppError `not_found` for a file that is not there or is no file */
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

/** Recorded as the failure of an import that was cut short. */
export const INTERRUPTED = message("importInterrupted");

/**
 * An input that breaks off once its import is to stop.
 * @param stop one 32-bit number in shared memory: other than 0 where it is to stop
 * @throws AppError `unavailable` while it is read
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

/** A stream, put together again after its first piece was read; left early, it ends the rest too. */
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
