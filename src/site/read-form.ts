import { AppError } from "../errors.ts";
import { readUpload, type UploadRules } from "./read-upload.ts";
import { type Form, formOf } from "./visit.ts";

/** A form, and what is left to be removed once it was dealt with. */
export interface ReadForm {
  form: Form;
  /** Removes the files that nobody took. */
  discard(): void;
}

const FORM_BYTES_MAX = 1024 * 1024;

/**
 * What a page was sent.
 * @param upload null for a page that takes no file
 * @throws AppError `payload_too_large`, `parse_error`; `unavailable` where a file cannot be stored
 */
export async function readForm(request: Request, upload: UploadRules | null): Promise<ReadForm> {
  const type = request.headers.get("content-type") ?? "";
  const isMultipart = /^multipart\/form-data\b/i.test(type);
  try {
    if (isMultipart && upload !== null) return await readUpload(request, upload);
    const body = await readText(request);
    const form = isMultipart
      ? formOf(await new Response(body, { headers: { "content-type": type } }).formData())
      : formOf(new URLSearchParams(new TextDecoder().decode(body)));
    return { form, discard() {} };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("parse_error", "The form could not be read.");
  }
}

async function readText({ body, headers }: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(headers.get("content-length") ?? 0) > FORM_BYTES_MAX) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > FORM_BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function tooLarge(): AppError {
  return new AppError("payload_too_large", "The form is too large.");
}
