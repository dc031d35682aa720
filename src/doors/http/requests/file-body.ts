import { createHash } from "node:crypto";
import { createWriteStream, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import type { Body } from "../../front/body.ts";

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
