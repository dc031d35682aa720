import { createGzip } from "node:zlib";
import { partStream } from "../../catalog/exports/export-part.ts";
import { acceptsGzip } from "../../values/packed-bytes.ts";
import type { FileAnswer } from "../../verbs/method.ts";
import type { Headers } from "./answers.ts";

/** An answer that is produced as fast as the client reads it, compressed if the client accepts that. */
export function fileResponse(
  request: Request,
  { type, headers: own, file }: FileAnswer,
  headers: Headers,
): Response {
  const isPacked = acceptsGzip(request);
  const all = {
    ...headers,
    ...own,
    "content-type": type,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    // Asks nginx not to read ahead of the client, which pays for what is sent.
    "x-accel-buffering": "no",
    vary: [headers["vary"], "Accept-Encoding"].filter((name) => name !== undefined).join(", "),
    ...(isPacked && { "content-encoding": "gzip" }),
  };
  if (request.method === "HEAD") {
    file.close();
    return new Response(null, { headers: all });
  }
  const parts = isPacked ? packed(file.parts) : file.parts;
  return new Response(partStream(parts, file.close), { headers: all });
}

/**
 * Compresses the parts as one stream. Each part is flushed separately: what has been paid for is sent
 * before the next one is read, and nothing accumulates in between.
 */
async function* packed(parts: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  const gzip = createGzip({ level: 3 });
  let out: Uint8Array[] = [];
  gzip.on("data", (chunk: Uint8Array) => out.push(chunk));
  const takeOutput = (): Uint8Array => {
    const whole = Buffer.concat(out);
    out = [];
    return whole;
  };
  try {
    for await (const part of parts) {
      gzip.write(part);
      await new Promise<void>((resolve) => gzip.flush(resolve));
      yield takeOutput();
    }
    const ended = new Promise((resolve) => gzip.once("end", resolve));
    gzip.end();
    await ended;
    yield takeOutput();
  } finally {
    gzip.destroy();
  }
}
