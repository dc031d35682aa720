import { AppError } from "../errors.ts";

/** Decisions, section 1. */
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * The JSON value that a request carries; an empty object where it has no body.
 * @throws AppError `payload_too_large`, `unsupported_media_type`, `parse_error`, `unavailable`
 */
export async function readJsonBody(request: Request, isStopping: () => boolean): Promise<unknown> {
  const bytes = await readBytes(request, isStopping);
  if (bytes.byteLength === 0) return {};
  const type = request.headers.get("content-type") ?? "";
  if (!/^\s*application\/json\s*(;|$)/i.test(type)) {
    const detail = "Send the body as JSON, with the header `Content-Type: application/json`.";
    throw new AppError("unsupported_media_type", detail);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The parser's own words would quote the body.
    throw new AppError("parse_error", "The body is not valid JSON in UTF-8.");
  }
}

/**
 * @param isStopping whether the appliance ends connections by itself
 * @throws AppError `payload_too_large`; `parse_error` where the client hung up in the middle of the
 *   body, `unavailable` where the appliance did
 */
export async function readBytes(request: Request, isStopping: () => boolean): Promise<Uint8Array> {
  try {
    return await readWhole(request);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw isStopping()
      ? new AppError("unavailable", "The server stopped before the body's end.")
      : new AppError("parse_error", "The connection was closed before the body's end.");
  }
}

async function readWhole(request: Request): Promise<Uint8Array> {
  const { body, headers } = request;
  const length = headers.get("content-length");
  if (Number(length) > BODY_BYTES_MAX) throw tooLarge();
  // Read whole where its length is known, which takes a fifth less of an MCP call than a stream.
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): AppError {
  return new AppError("payload_too_large", "The body is larger than 1 MiB.");
}
