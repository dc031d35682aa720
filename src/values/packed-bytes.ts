import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import { madeOnce } from "./kept-briefly.ts";

const gzip = promisify(gzipWithCallback);

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of a fixed answer, and the same compressed on first use. */
export interface PackedBytes {
  plain: Bytes;
  /** Null if compressing saves too little, as with pictures. */
  gzip(): Promise<Bytes | null>;
}

/** Compressing must save at least a tenth. */
const LARGEST_PART = 0.9;

/**
 * Bytes up to this size are compressed at once: a page of 12 kB takes 0.1 ms, and to hand it to a thread
 * 0.3 ms. A script of 1.7 MB takes 40 ms, so it is compressed on a thread of the system's pool.
 */
const AT_ONCE_MAX = 64 * 1024;
const AT_ONCE = { library: "libdeflate", level: 9 } as const;

export function packedBytes(plain: Bytes): PackedBytes {
  return {
    plain,
    gzip: madeOnce(async () => {
      const bytes =
        plain.length <= AT_ONCE_MAX
          ? Bun.gzipSync(plain, AT_ONCE)
          : new Uint8Array(await gzip(plain, { level: 9 }));
      return bytes.length <= plain.length * LARGEST_PART ? bytes : null;
    }),
  };
}

/** Files and texts, concatenated on first use: they stay the same until the next start. */
export function packedFiles(parts: readonly (Blob | string | Bytes)[]): () => Promise<PackedBytes> {
  return madeOnce(async () => {
    // Read separately, because a blob made of several files would omit their contents.
    const read = await Promise.all(parts.map((part) => new Response(part).bytes()));
    return packedBytes(new Uint8Array(Buffer.concat(read)));
  });
}

/** The bytes for a request, compressed if its client accepts that, and the headers that describe them. */
export async function bytesFor(
  request: Request,
  packed: PackedBytes,
): Promise<{ bytes: Bytes; headers: Record<string, string> }> {
  const gzip = acceptsGzip(request.headers) ? await packed.gzip() : null;
  const bytes = gzip ?? packed.plain;
  return {
    bytes,
    headers: {
      vary: "accept-encoding",
      "content-length": `${bytes.length}`,
      ...(gzip && { "content-encoding": "gzip" }),
    },
  };
}

/** Whether `Accept-Encoding` includes gzip or any encoding, with a weight above 0. */
export function acceptsGzip(headers: Headers): boolean {
  const accepted = headers.get("accept-encoding") ?? "";
  // Browsers send no weights.
  if (!accepted.includes(";")) return /(?:^|[\s,])(?:gzip|\*)(?:[\s,]|$)/i.test(accepted);
  const weights = new Map(
    accepted.split(",").map((one) => {
      const [name = "", ...more] = one.split(";").map((part) => part.trim().toLowerCase());
      const weight = more.find((part) => part.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight) > 0] as const;
    }),
  );
  return weights.get("gzip") ?? weights.get("*") ?? false;
}
