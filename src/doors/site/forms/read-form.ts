import { createWriteStream, rmSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { shownFileName, UPLOAD_BYTES_MAX } from "../../../catalog/imports/runs/upload-files.ts";
import { AppError, fieldError, notFound, toAppError } from "../../../errors.ts";
import { parseNumber } from "../../../values/fields.ts";
import { message } from "../../../values/messages/messages.ts";
import { parseEndOfDay } from "../../../values/moscow-time.ts";
import type { Takes } from "../../../values/takes.ts";
import type { Body } from "../../front/body.ts";
import { DRAWN_FOR } from "../look/form.tsx";
import type { SitePage } from "../site-pages.ts";
import { type Form, formOf, type UploadedFile, type Visit } from "../visit/visit.ts";
import { pageError } from "./faults.ts";

/** A form, and its files, which must be removed once it has been handled. */
interface ReadForm {
  form: Form;
  /** Removes files that nobody took over. */
  discard(): void;
}

/** More fields than any page's form has: some have a hundred rows. */
const FIELDS_MAX = 1_000;
const AMPERSAND = 0x26;

/**
 * Reads a submitted form.
 * @param takes what its page takes
 * @param upload rules for a file, if the page takes one
 * @throws AppError `payload_too_large`, `parse_error`; `unavailable` if a file cannot be stored
 */
export async function readForm(
  { headers }: Pick<Request, "headers">,
  body: Body,
  { as, bytesMax }: Takes,
  upload: UploadRules,
): Promise<ReadForm> {
  const type = headers.get("content-type") ?? "";
  const isMultipart = /^multipart\/form-data\b/i.test(type);
  try {
    if (isMultipart && as === "file") {
      return await readMultipart(type, body.chunks(), bytesMax, upload);
    }
    const bytes = await body.bytes();
    if (!isMultipart) return { form: formOf(fieldsOf(bytes)), discard() {} };
    return await readMultipart(type, [bytes], bytesMax, null);
  } catch (error) {
    const { code } = toAppError(error);
    if (code === "payload_too_large") throw tooLarge();
    throw code === "unavailable" ? error : new AppError("parse_error", message("formUnreadable"));
  }
}

/** Fields by name; if a name repeats, the first one counts. */
function fieldsOf(body: Uint8Array): Map<string, string> {
  // Counts fields before parsing them, using indexOf: a loop over 200 KB of bytes takes 14 ms.
  let count = 1;
  for (let at = body.indexOf(AMPERSAND); at >= 0; at = body.indexOf(AMPERSAND, at + 1)) {
    count += 1;
    if (count > FIELDS_MAX) throw tooLarge();
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(body))) {
    if (!fields.has(name)) fields.set(name, value);
  }
  return fields;
}

/**
 * Whether the form's page was rendered for another organization than the visit's: a member of several may
 * have switched since, for instance in a second window.
 */
export function isOfOtherOrganization(
  { access }: SitePage,
  { membership }: Visit,
  form: Form,
): boolean {
  // The form that switches organizations is on every page.
  if (form.get("action") === "switch-organization") return false;
  const drawnFor = form.get(DRAWN_FOR);
  return (
    (access === "member" || access === "manager") &&
    membership !== null &&
    drawnFor !== "" &&
    drawnFor !== String(membership.organization.id)
  );
}

export function otherOrganization({ membership, words }: Visit): AppError {
  const current = membership?.organization.name ?? "";
  return pageError("conflict", words.otherOrganization(current));
}

/** Parses a number from an address or a form. @throws AppError `not_found` */
export function idOf(text: string): number {
  const id = parseNumber(text);
  if (id === null) throw notFound("number");
  return id;
}

/**
 * Parses a last day as typed.
 * @returns the instant at which that day ends in Moscow; null if nothing was typed
 * @throws AppError `invalid` on `ends`
 */
export function readLastDay(text: string, nowMs: number): number | null {
  if (text.trim() === "") return null;
  const endsAt = parseEndOfDay(text.trim());
  if (endsAt === null) {
    throw fieldError({ ends: [message("notDaySuchAs", { example: "2027-12-31" })] });
  }
  if (endsAt <= nowMs) throw fieldError({ ends: [message("dayIsOver")] });
  return endsAt;
}

interface UploadRules {
  newPath(): string;
  /**
   * Whether to write the file at all, judged by the fields before it: strangers must not fill the disk. A
   * file that is not allowed is read and discarded.
   */
  isAllowed(form: Form): boolean;
}

/** Largest request that the server accepts: a file and the fields beside it. */
export const REQUEST_BYTES_MAX = UPLOAD_BYTES_MAX + 1024 ** 2;

const PARTS_MAX = 20;

const LIMITS = {
  fields: PARTS_MAX,
  fieldNameSize: 100,
  files: 1,
  fileSize: UPLOAD_BYTES_MAX,
  parts: PARTS_MAX + 1,
  headerPairs: 20,
  headerSize: 8 * 1024,
};

/**
 * Reads a form and streams its file to disk. A request of 400 MB takes 25 MB of memory this way, and 540 MB
 * with `request.formData()`.
 * @param bytesMax limit for everything but the file
 * @param rules null for a page that accepts no file
 */
async function readMultipart(
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

function tooLarge(): AppError {
  return new AppError("payload_too_large", message("formTooLarge"));
}
