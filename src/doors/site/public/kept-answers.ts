import { LRUCache } from "lru-cache";
import { bytesFor, type PackedBytes, packedBytes } from "../../../values/packed-bytes.ts";

/**
 * How long an answer is kept here, and then by browsers and caches on the way. Together they are less than a
 * minute, within which a channel that was hidden must be gone from all of them. The same holds for pictures
 * and badges.
 */
const KEPT_MS = 25_000;
const MAX_AGE_S = 30;
const BYTES_MAX = 32 * 1024 * 1024;
/** Size of an answer beside its compressed forms, at most, to the answer alone. */
const WITH_COMPRESSED = 1.5;

export interface MadeAnswer {
  type: string;
  content: string | Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** An answer that is not kept, for each who asked for it. */
type Unkept = () => Response;
type Make = () => Promise<MadeAnswer | Unkept>;

interface Kept {
  untilMs: number;
  etag: string;
  packed: PackedBytes;
  headers: Record<string, string>;
}

/**
 * Answers that are the same for everybody, whole and for a moment, with their entity tags. Those who ask for
 * one at the same time wait for the same. Nothing is kept of what does not exist, so that asking for a
 * million of those takes no memory.
 */
export function createKeptAnswers(monotonic: () => number) {
  const kept = new LRUCache<string, Kept>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ packed }, key) =>
      Math.ceil(packed.plain.length * WITH_COMPRESSED) + key.length,
  });
  const making = new Map<string, Promise<Kept | Unkept>>();

  function find(key: string, make: Make): Promise<Kept | Unkept> | Kept {
    const known = kept.get(key);
    if (known !== undefined && monotonic() < known.untilMs) return known;
    const begun = making.get(key);
    if (begun !== undefined) return begun;
    const made = makeNow(key, make).finally(() => making.delete(key));
    making.set(key, made);
    return made;
  }

  async function makeNow(key: string, make: Make): Promise<Kept | Unkept> {
    const made = await make();
    if (typeof made === "function") return made;
    const bytes =
      typeof made.content === "string" ? new TextEncoder().encode(made.content) : made.content;
    const entry: Kept = {
      untilMs: monotonic() + KEPT_MS,
      // Weak, because the compressed bytes have it too.
      etag: `W/"${Bun.hash(bytes).toString(36)}"`,
      packed: packedBytes(bytes),
      headers: {
        ...made.headers,
        "content-type": made.type,
        "cache-control": `public, max-age=${MAX_AGE_S}`,
      },
    };
    kept.set(key, entry);
    return entry;
  }

  return async (request: Request, key: string, make: Make): Promise<Response> => {
    const entry = await find(key, make);
    if (typeof entry === "function") return entry();
    const { etag, packed, headers } = entry;
    if (isCurrent(request.headers.get("if-none-match"), etag)) {
      const { "content-type": _, ...others } = headers;
      return new Response(null, {
        status: 304,
        headers: { ...others, etag, vary: "accept-encoding" },
      });
    }
    const { bytes, headers: ofBytes } = await bytesFor(request, packed);
    const isHead = request.method === "HEAD";
    return new Response(isHead ? null : bytes, { headers: { ...headers, ...ofBytes, etag } });
  };
}

function isCurrent(given: string | null, etag: string): boolean {
  return given !== null && (given === "*" || given.split(/\s*,\s*/).includes(etag));
}
