import { createHash } from "node:crypto";
import { createWriteStream, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../../errors.ts";
import { parseJson } from "../../../values/json-text.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { MEMBERS_MAX } from "../../../values/takes.ts";
import type { Body } from "../../front/body.ts";
import type { Incoming } from "../../front/front.ts";

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

/** A file that was a request's body, on its way to whoever takes it over. */
export interface ReceivedFile {
  path: string;
  bytes: number;
  sha256: string;
}

/**
 * Streams a request's body into a new file, which is readable by its owner only.
 * @throws AppError those of `Body.chunks`; `unavailable` if it cannot be stored. No file is left then.
 */
export async function receiveFile(body: Body, path: string): Promise<ReceivedFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* hashed() {
    for await (const chunk of body.chunks()) {
      bytes += chunk.byteLength;
      hash.update(chunk);
      yield chunk;
    }
  }
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  try {
    await pipeline(Readable.from(hashed()), file);
  } catch (cause) {
    rmSync(path, { force: true });
    throw cause instanceof AppError
      ? cause
      : new AppError("unavailable", message("fileNotStored"), { cause });
  }
  return { path, bytes, sha256: hash.digest("base64") };
}

/**
 * Limits of a JSON text, checked before parsing in a single pass over its bytes, so that a hostile text
 * costs no more than its length.
 */

const DEPTH_MAX = 32;
/** Strings for each member, member names included. */
const TEXTS_OF_MEMBER = 3;
/** Commas, as a measure of all arrays' items; the largest allowed body has room for fewer channels. */
const ITEMS_MAX = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

/**
 * The limit that a text exceeds; null if none, whether or not it is valid JSON.
 * @param membersMax most members of all objects, and most objects and arrays
 */
export function brokenBound(json: Uint8Array, membersMax = MEMBERS_MAX): Message | null {
  const textsMax = membersMax * TEXTS_OF_MEMBER;
  let depth = 0;
  let members = 0;
  let containers = 0;
  let texts = 0;
  let items = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        texts += 1;
        if (texts > textsMax) return message("bodyTooManyTexts", { count: textsMax });
        for (at++; at < json.length && json[at] !== QUOTE; at++) {
          if (json[at] === BACKSLASH) at++;
        }
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        containers += 1;
        if (depth > DEPTH_MAX) return message("bodyTooDeep", { levels: DEPTH_MAX });
        if (containers > membersMax) {
          return message("bodyTooManyContainers", { count: membersMax });
        }
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth -= 1;
        break;
      case COLON:
        members += 1;
        if (members > membersMax) return message("bodyTooManyMembers", { count: membersMax });
        break;
      case COMMA:
        items += 1;
        if (items > ITEMS_MAX) return message("bodyTooManyItems", { count: ITEMS_MAX });
        break;
    }
  }
  return null;
}
