import { LRUCache } from "lru-cache";
import { madeOnce } from "../../../values/kept-briefly.ts";
import { acceptsGzip, packedBytes } from "../../../values/packed-bytes.ts";

/**
 * How long an answer is kept here, and then by browsers and caches on the way. Together they are less than a
 * minute, within which a channel that was hidden must be gone from all of them. The same holds for pictures
 * and badges.
 */
const KEPT_MS = 25_000;
export const CACHED = "public, max-age=30";
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

/** Responses that are complete and are cloned for each request, which takes a third of making one. */
interface Kept {
  untilMs: number;
  etag: string;
  size: number;
  plain: Response;
  /** The plain one if compressing saves too little. */
  gzip(): Promise<Response>;
  /** For a client that has the answer already. */
  current: Response;
}

/**
 * Answers that are the same for everybody, whole and for a moment, with their entity tags. Those who ask for
 * one at the same time wait for the same. Nothing is kept of what does not exist, so that asking for a
 * million of those takes no memory.
 */
export function createKeptAnswers(monotonic: () => number) {
  const kept = new LRUCache<string, Kept>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ size }, key) => Math.ceil(size * WITH_COMPRESSED) + key.length,
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
    const entry = keptOf(bytes, made, monotonic() + KEPT_MS);
    kept.set(key, entry);
    return entry;
  }

  return async ({ method, headers }: Request, key: string, make: Make): Promise<Response> => {
    const entry = await find(key, make);
    if (typeof entry === "function") return entry();
    if (isCurrent(headers.get("if-none-match"), entry.etag)) return copyOf(entry.current);
    const whole = acceptsGzip(headers) ? await entry.gzip() : entry.plain;
    return method === "HEAD" ? new Response(null, { headers: whole.headers }) : copyOf(whole);
  };
}

/** The types of `clone` are those of Node.js. */
const copyOf = (response: Response) => response.clone() as Response;

function keptOf(
  bytes: Uint8Array<ArrayBuffer>,
  { headers, type }: MadeAnswer,
  untilMs: number,
): Kept {
  // Weak, because the compressed bytes have it too.
  const etag = `W/"${Bun.hash(bytes).toString(36)}"`;
  const usual = { "cache-control": CACHED, ...headers, etag, vary: "accept-encoding" };
  const whole = (content: Uint8Array<ArrayBuffer>, more: Record<string, string>) =>
    new Response(content, {
      headers: { ...usual, "content-type": type, "content-length": `${content.length}`, ...more },
    });
  const plain = whole(bytes, {});
  const packed = packedBytes(bytes);
  return {
    ...{ untilMs, etag, size: bytes.length, plain },
    gzip: madeOnce(async () => {
      const compressed = await packed.gzip();
      return compressed === null ? plain : whole(compressed, { "content-encoding": "gzip" });
    }),
    current: new Response(null, { status: 304, headers: usual }),
  };
}

function isCurrent(given: string | null, etag: string): boolean {
  return given !== null && (given === "*" || given.split(/\s*,\s*/).includes(etag));
}
