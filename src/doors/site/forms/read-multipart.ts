import { createWriteStream, rmSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { shownFileName, UPLOAD_BYTES_MAX } from "../../../catalog/imports/runs/upload-files.ts";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { type Form, formOf, type UploadedFile } from "../visit/visit.ts";
import type { ReadForm } from "./read-form.ts";

/** Rules for a page that accepts a file. */
export interface UploadRules {
  /** A path to write a file to. */
  newPath(): string;
  /**
   * Whether to write the file at all, judged by the fields before it: strangers must not fill the disk. A
   * file that is not allowed is read and discarded.
   */
  isAllowed(form: Form): boolean;
}

/** Largest request that the server accepts: a file and the fields beside it. */
export const REQUEST_BYTES_MAX = UPLOAD_BYTES_MAX + 1024 ** 2;

const FIELDS_MAX = 20;

const LIMITS = {
  fields: FIELDS_MAX,
  fieldNameSize: 100,
  files: 1,
  fileSize: UPLOAD_BYTES_MAX,
  parts: FIELDS_MAX + 1,
  headerPairs: 20,
  headerSize: 8 * 1024,
};

/**
 * Reads a form and streams its file to disk. A request of 400 MB takes 25 MB of memory this way, and 540 MB
 * with `request.formData()`.
 * @param bytesMax limit for everything but the file
 * @param rules null for a page that accepts no file
 */
export async function readMultipart(
  type: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number,
  rules: UploadRules | null,
): Promise<ReadForm> {
  const fields = new Map<string, string>();
  const files = new Map<string, UploadedFile>();
  const paths: string[] = [];
  const writing: Promise<void>[] = [];
  const form = formOf(fields, files);
  /** The first failure, which ends both reading and writing. */
  const fault: { cause: unknown } = { cause: null };
  const broken = new AbortController();
  const fail = (cause: unknown): void => {
    fault.cause ??= cause;
    broken.abort();
  };

  async function write(
    { newPath }: UploadRules,
    field: string,
    stream: BusboyFileStream,
    name: string,
  ): Promise<void> {
    const path = newPath();
    paths.push(path);
    // Readable by its owner only.
    const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
    file.on("error", (cause) => {
      fail(new AppError("unavailable", message("fileNotStored"), { cause }));
    });
    await pipeline(stream, file, { signal: broken.signal }).catch(fail);
    if (stream.truncated) fail(tooLarge());
    files.set(field, { name: shownFileName(name), path, bytes: stream.bytesRead });
  }

  try {
    const parser = new Busboy({
      headers: { "content-type": type },
      limits: { ...LIMITS, fieldSize: bytesMax },
    });
    let hasFile = false;
    let fieldBytes = 0;
    parser.on("field", (name, value, isNameCut, isValueCut) => {
      fieldBytes += Buffer.byteLength(value);
      if (isNameCut || isValueCut || fieldBytes > bytesMax) fail(tooLarge());
      else if (!fields.has(name)) fields.set(name, value);
    });
    parser.on("file", (field, stream, fileName) => {
      hasFile = true;
      // The parser emits the same error, and it is handled there.
      stream.on("error", () => {});
      if (fileName && rules?.isAllowed(form)) writing.push(write(rules, field, stream, fileName));
      else stream.resume();
    });
    for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
      parser.on(limit, () => fail(tooLarge()));
    }
    let bytesBefore = 0;
    /** Parses each chunk before accepting the next, so that it knows whether the file has begun. */
    const counted = new Writable({
      write(chunk: Buffer, _encoding, done) {
        parser.write(chunk, (error) => {
          if (!hasFile) bytesBefore += chunk.byteLength;
          done(error ?? (bytesBefore > bytesMax ? tooLarge() : null));
        });
      },
      final(done) {
        parser.once("finish", () => done());
        parser.end();
      },
    });
    parser.on("error", (cause: unknown) => counted.destroy(cause as Error));
    await pipeline(Readable.from(chunks), counted, { signal: broken.signal }).catch(fail);
    await Promise.all(writing);
    if (fault.cause !== null) throw fault.cause;
  } catch (error) {
    removeAll(paths);
    throw error;
  }
  return { form, discard: () => removeAll(paths) };
}

function removeAll(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

export function tooLarge(): AppError {
  return new AppError("payload_too_large", message("formTooLarge"));
}
