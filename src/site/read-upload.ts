import { createWriteStream, rmSync } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { AppError } from "../errors.ts";
import type { ReadForm } from "./read-form.ts";
import { type Form, formOf, type UploadedFile } from "./visit.ts";

/** What a page that takes a file says of it. */
export interface UploadRules {
  /** Where a file may be written. */
  newPath(): string;
  /**
   * By the fields before the file, whether it is written at all: nobody else may fill the disk.
   * One that is not is read and forgotten.
   */
  isAllowed(form: Form): boolean;
}

const UPLOAD_BYTES_MAX = 2 * 1024 ** 3;
/** The largest request that the server takes: a file and the fields beside it. */
export const REQUEST_BYTES_MAX = UPLOAD_BYTES_MAX + 1024 ** 2;

const NAME_LENGTH_MAX = 200;

const LIMITS = {
  fields: 50,
  fieldNameSize: 100,
  fieldSize: 64 * 1024,
  files: 1,
  fileSize: UPLOAD_BYTES_MAX,
  parts: 51,
  headerPairs: 20,
  headerSize: 8 * 1024,
};

/**
 * Streams the file to the disk: a request of 400 MB takes 25 MB of memory so, and 540 MB by
 * `request.formData()`.
 */
export async function readUpload(request: Request, rules: UploadRules): Promise<ReadForm> {
  const fields: [string, string][] = [];
  const files = new Map<string, UploadedFile>();
  const paths: string[] = [];
  const writing: Promise<void>[] = [];
  const form = formOf(fields, files);
  /** What went wrong first; it ends both the reading and the writing. */
  const fault: { cause: unknown } = { cause: null };
  const broken = new AbortController();
  const fail = (cause: unknown): void => {
    fault.cause ??= cause;
    broken.abort();
  };

  async function write(field: string, stream: BusboyFileStream, name: string): Promise<void> {
    const path = rules.newPath();
    paths.push(path);
    // Owner only: nobody else on the machine needs to read it.
    const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
    file.on("error", (cause) => {
      const detail = "The file cannot be stored at present.";
      fail(new AppError("unavailable", detail, { cause }));
    });
    await pipeline(stream, file, { signal: broken.signal }).catch(fail);
    if (stream.truncated) fail(tooLarge());
    files.set(field, { name: shownName(name), path, bytes: stream.bytesRead });
  }

  try {
    const parser = new Busboy({
      headers: { "content-type": request.headers.get("content-type") ?? "" },
      limits: LIMITS,
    });
    parser.on("field", (name, value, isNameCut, isValueCut) => {
      if (isNameCut || isValueCut) fail(tooLarge());
      fields.push([name, value]);
    });
    parser.on("file", (field, stream, fileName) => {
      // Told by the parser, too.
      stream.on("error", () => {});
      if (fileName && rules.isAllowed(form)) writing.push(write(field, stream, fileName));
      else stream.resume();
    });
    for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
      parser.on(limit, () => fail(tooLarge()));
    }
    const body = Readable.fromWeb((request.body ?? new Response("").body) as ReadableStream);
    await pipeline(body, parser as Writable, { signal: broken.signal }).catch(fail);
    await Promise.all(writing);
    if (fault.cause !== null) throw fault.cause;
  } catch (error) {
    removeAll(paths);
    throw error;
  }
  return { form, discard: () => removeAll(paths) };
}

/** A file may be called anything where it comes from. */
function shownName(name: string): string {
  const plain = name.replace(/\p{Cc}|\p{Bidi_Control}/gu, "");
  return [...plain].slice(0, NAME_LENGTH_MAX).join("");
}

function removeAll(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

function tooLarge(): AppError {
  return new AppError("payload_too_large", "The form is too large.");
}
