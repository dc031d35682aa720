import { createGzip } from "node:zlib";
import { partStream } from "../../catalog/exports/part-stream.ts";
import type { FileAnswer } from "../../methods/method.ts";
import type { Headers } from "./answers.ts";

/** An answer that is read as fast as the caller takes it, compressed where the caller takes that. */
export function fileResponse(
  request: Request,
  { type, headers: own, file }: FileAnswer,
  headers: Headers,
): Response {
  const isPacked = takesGzip(request.headers.get("accept-encoding") ?? "");
  const all = {
    ...headers,
    ...own,
    "content-type": type,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
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

/** Whether `Accept-Encoding` names gzip, or any, and not with a weight of 0. */
function takesGzip(accepted: string): boolean {
  const weights = new Map(
    accepted.split(",").map((one) => {
      const [name = "", ...more] = one.split(";").map((part) => part.trim().toLowerCase());
      const weight = more.find((part) => part.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight) > 0] as const;
    }),
  );
  return weights.get("gzip") ?? weights.get("*") ?? false;
}

/**
 * The parts compressed as one stream. Each is flushed by itself: what has been paid for leaves before the next is
 * asked for, and nothing gathers in between.
 */
async function* packed(parts: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  const gzip = createGzip({ level: 3 });
  let out: Uint8Array[] = [];
  gzip.on("data", (chunk: Uint8Array) => out.push(chunk));
  const taken = (): Uint8Array => {
    const whole = Buffer.concat(out);
    out = [];
    return whole;
  };
  try {
    for await (const part of parts) {
      gzip.write(part);
      await new Promise<void>((resolve) => gzip.flush(resolve));
      yield taken();
    }
    const ended = new Promise((resolve) => gzip.once("end", resolve));
    gzip.end();
    await ended;
    yield taken();
  } finally {
    gzip.destroy();
  }
}
