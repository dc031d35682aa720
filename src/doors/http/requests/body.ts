import { AppError } from "../../../errors.ts";
import { parseJson } from "../../../values/json-text.ts";
import { message } from "../../../values/messages/messages.ts";
import type { Incoming } from "../../front/front.ts";
import { brokenBound } from "./json-bounds.ts";

/** What reading a body needs of the appliance. */
export interface Bodies {
  /** Whether the appliance is shutting down, which closes connections. */
  isStopping(): boolean;
  /** Parses JSON on another thread; undefined if it is invalid. */
  parseBeside(json: Uint8Array): Promise<unknown>;
}

/** Longest body to parse on the answering thread; longer ones go to another thread, and delay nobody. */
const PARSED_HERE_BYTES_MAX = 32 * 1024;

/**
 * The JSON value of a request's body; an empty object if it has none.
 * @param membersMax as the route declares it; absent for the usual number
 * @throws AppError those of `Body.bytes`, `unsupported_media_type`, `parse_error`
 */
export async function readJsonBody(
  { request, body }: Pick<Incoming, "request" | "body">,
  bodies: Bodies,
  membersMax?: number,
): Promise<unknown> {
  const bytes = await body.bytes();
  if (bytes.byteLength === 0) return {};
  const type = request.headers.get("content-type") ?? "";
  if (!/^\s*application\/json\s*(;|$)/i.test(type)) {
    throw new AppError("unsupported_media_type", message("bodyNotSentAsJson"));
  }
  const bound = brokenBound(bytes, membersMax);
  if (bound !== null) throw new AppError("parse_error", bound);
  const value = await parseBounded(bytes, bodies);
  if (value !== undefined) return value;
  // Replaces the parser's own message, which would quote the body.
  throw new AppError("parse_error", message("bodyNotJson"));
}

/** Parses a text that `brokenBound` has accepted; undefined if it is invalid JSON. */
export async function parseBounded(
  json: Uint8Array,
  { parseBeside }: Pick<Bodies, "parseBeside">,
): Promise<unknown> {
  return json.byteLength > PARSED_HERE_BYTES_MAX ? parseBeside(json) : parseJson(json);
}
