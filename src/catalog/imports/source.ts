import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";

/** Where rows come from: a file, or standard input. */
export interface Source {
  /** As the operator named it. */
  name: string;
  /** Null for what has no size and can be read only once: standard input, a pipe. */
  bytes: number | null;
  /** The folder to which names of files in it are relative. */
  folder: string;
  open(): AsyncIterable<Uint8Array>;
}

const STANDARD_INPUT = "-";

/** @throws AppError `not_found` for a file that is not there or is no file */
export async function openSource(path: string): Promise<Source> {
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

/**
 * The source's text, piece by piece.
 * @throws AppError `invalid`, naming the line, at the first byte that is not UTF-8
 */
export async function* decodeUtf8(
  source: Source,
  onBytes: (total: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let total = 0;
  let lines = 1;
  for await (const chunk of source.open()) {
    const text = decode(
      () => decoder.decode(chunk, { stream: true }),
      () => lines + badLine(chunk),
    );
    lines += text.split("\n").length - 1;
    total += chunk.byteLength;
    onBytes(total);
    yield text;
  }
  yield decode(
    () => decoder.decode(),
    () => lines,
  );

  function decode(work: () => string, line: () => number): string {
    try {
      return work();
    } catch {
      throw new AppError("invalid", message("fileNotUtf8", { file: source.name, line: line() }));
    }
  }
}

/** A text, put together again after its first piece was read. */
export async function* prepend(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** Line breaks before the first line of a chunk that is not UTF-8. */
function badLine(chunk: Uint8Array): number {
  const lines = Buffer.from(chunk).toString("latin1").split("\n");
  const bad = lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
  return Math.max(0, bad);
}

/** Reads a file through before any of it is imported; a pipe cannot be, since it is read only once. */
export async function requireUtf8(source: Source): Promise<void> {
  if (source.bytes === null) return;
  for await (const _ of decodeUtf8(source, () => {})) {
    // Decoding is the check.
  }
}
