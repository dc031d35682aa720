import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { flush, requireAbsent } from "../../../db/file/database-copy.ts";
import { CommandExit, EXIT_FAILED, type Output } from "../command-context.ts";

/** The name that stands for standard output. */
export const STANDARD_OUTPUT = "-";

interface Target {
  path: string;
  isGzip: boolean;
  /** Ends writing early, with an `AbortError`. */
  signal: AbortSignal;
}

/**
 * Writes content to a new file or to standard output, no faster than it is accepted. A file appears under
 * its name complete and flushed, or not at all: until then its name ends in `.part`.
 * @throws AppError `conflict` if the file exists
 * @throws CommandExit if the `.part` file exists, or cannot be written to the end, as on a full disk
 */
export async function writeTarget(
  content: AsyncIterable<Uint8Array>,
  { path, ...how }: Target,
  output: Output,
): Promise<void> {
  if (path === STANDARD_OUTPUT) return run(content, how, toOutput(output));
  requireAbsent(path);
  const draft = `${path}.part`;
  if (existsSync(draft)) {
    const why = "another export is writing it, or was killed; in that case, remove it";
    throw new CommandExit(EXIT_FAILED, `The file ${draft} already exists: ${why}.`);
  }
  const file = createWriteStream(draft, { flags: "wx" });
  // Whether this export created the draft: another one's must not be removed.
  let isOurs = false;
  file.on("open", () => {
    isOurs = true;
  });
  try {
    await run(content, how, file);
    flush(draft);
    requireAbsent(path);
    renameSync(draft, path);
    flush(dirname(resolve(path)));
  } catch (error) {
    if (isOurs) rmSync(draft, { force: true });
    // The system's error names the file if it cannot be created, but not if the disk fills up later.
    if (!(error instanceof Error && "syscall" in error) || "path" in error) throw error;
    throw new CommandExit(EXIT_FAILED, `The file ${path} cannot be written: ${error.message}.`);
  }
}

async function run(
  content: AsyncIterable<Uint8Array>,
  { isGzip, signal }: Pick<Target, "isGzip" | "signal">,
  sink: Writable,
): Promise<void> {
  const source = Readable.from(content);
  if (isGzip) await pipeline(source, createGzip(), sink, { signal });
  else await pipeline(source, sink, { signal });
}

function toOutput(output: Output): Writable {
  return new Writable({
    write(bytes: Uint8Array, _encoding, done) {
      output.write(bytes).then(() => done(), done);
    },
  });
}
