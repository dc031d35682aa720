import { X509Certificate } from "node:crypto";
import { getServers, Resolver, setServers } from "node:dns";
import { getCACertificates } from "node:tls";
import { type DownloadRequest, type DownloadResult, download } from "./download.ts";
import { type Destination, type FetchFault, fetchAddress, fetchFaultOf } from "./fetch-address.ts";

/** Questions and requests to other machines. */
export interface Network {
  /**
   * All IPv4 and IPv6 addresses of a name; none where it does not exist.
   * @throws where that cannot be told at present: no name server answers, or not in time
   */
  resolve(name: string, timeoutMs: number): Promise<readonly string[]>;
  /**
   * One POST over HTTPS to exactly this address; never throws. The answer's body is not read, and
   * the connection is ended. Bun has at most 256 requests under way in one process: one more waits
   * for its turn within its `timeoutMs`.
   */
  post(request: PostRequest): Promise<PostResult>;
  /** One GET in the same way, over http where asked; the answer's body is read up to a size. Never throws. */
  get(request: GetRequest): Promise<GetResult>;
  /** One GET whose answer goes into a file. @throws where the file cannot be written */
  download(request: DownloadRequest): Promise<DownloadResult>;
}

export interface PostRequest extends Outgoing {
  body: Uint8Array;
}

export interface GetRequest extends Outgoing {
  /** Another verb than GET. */
  method?: "POST" | "DELETE";
  body?: string;
  isSecure: boolean;
  /** Largest body; a larger one is a fault. */
  bytesMax: number;
}

interface Outgoing extends Omit<Destination, "isSecure"> {
  /** Time limit, from now to the last byte of the answer's head; of a GET, of its body. */
  timeoutMs: number;
  /** Aborts the request, whose result is then a `timeout`. */
  signal?: AbortSignal;
}

export type PostResult = { status: number } | { fault: PostFault };

export type GetResult =
  | { status: number; body: Uint8Array; retryAfter: string | null }
  | { fault: PostFault | "too_large" };

type PostFault = "timeout" | FetchFault;

/** @param options.ca PEM, trusted beside the system's own; null: none */
export function systemNetwork(options: { ca: string | null }): Network {
  const ca = options.ca === null ? undefined : withUsualRoots(options.ca);
  return {
    resolve,
    post: (request) => post(request, ca),
    get: (request) => get(request, ca),
    download: (request) => download(request, ca),
  };
}

async function resolve(name: string, timeoutMs: number): Promise<readonly string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`${name}: no answer within ${timeoutMs} ms`));
  const timer = setTimeout(fail, timeoutMs);
  try {
    // c-ares waits for its answers side by side. The system's own resolver, which node:dns takes,
    // waits in the few threads that also read files: two names that hang hold up all of it.
    const found = await Promise.race([Bun.dns.lookup(name, { backend: "c-ares" }), late]);
    return [...new Set(found.map(({ address }) => address))];
  } catch (error) {
    followSystemSettings();
    if (NO_SUCH_NAME.has(String((error as { code?: unknown }).code))) return [];
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Codes of c-ares for a name that does not exist, or has no address. */
const NO_SUCH_NAME = new Set(["DNS_ENOTFOUND", "DNS_ENODATA"]);

/** c-ares reads /etc/resolv.conf once in the life of a process; a new resolver reads it anew. */
function followSystemSettings(): void {
  try {
    const servers = new Resolver().getServers();
    if (servers.join() !== getServers().join()) setServers(servers);
  } catch {
    // setServers takes not every address; then the next lookup asks the former servers.
  }
}

/**
 * Bun's fetch rather than node:https: with a local receiver 3,100, 3,900 and 4,000 requests a
 * second at 8, 64 and 128 at once, off the main thread, against 1,300 to 1,400 on it; and ten
 * receivers that send 1xx answers without end grow the process by 17 MB, against 136 MB.
 */
async function post(request: PostRequest, ca: string | undefined): Promise<PostResult> {
  const secure = { ...request, isSecure: true };
  return send(secure, { method: "POST", body: request.body }, ca, async (answer) => {
    // Ends the connection; a failure while doing so does not matter.
    answer.body?.cancel().catch(() => {});
    return { status: answer.status };
  });
}

async function get(request: GetRequest, ca: string | undefined): Promise<GetResult> {
  const { method = "GET", body } = request;
  const sent = { method, ...(body !== undefined && { body: new TextEncoder().encode(body) }) };
  return send<GetResult>(request, sent, ca, async (answer) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    // Leaving the loop early ends the connection.
    for await (const chunk of answer.body ?? []) {
      size += chunk.byteLength;
      if (size > request.bytesMax) return { fault: "too_large" };
      chunks.push(chunk);
    }
    const retryAfter = answer.headers.get("retry-after");
    return { status: answer.status, body: Buffer.concat(chunks), retryAfter };
  });
}

async function send<Result>(
  request: Outgoing & { isSecure: boolean },
  init: { method: string; body?: Uint8Array },
  ca: string | undefined,
  read: (answer: Response) => Promise<Result>,
): Promise<Result | { fault: PostFault }> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), request.timeoutMs);
  const breakOff = () => controller.abort();
  request.signal?.addEventListener("abort", breakOff);
  if (request.signal?.aborted === true) breakOff();
  try {
    return await read(await fetchAddress(request, { ...init, signal: controller.signal }, ca));
  } catch (error) {
    return { fault: controller.signal.aborted ? "timeout" : fetchFaultOf(error) };
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", breakOff);
  }
}

/** The CA and the usual roots: where Bun is given a CA, it trusts no other. */
function withUsualRoots(ca: string): string {
  const usual = [...getCACertificates("default"), ...getCACertificates("system")];
  // Each request hands the whole text over, so each certificate is in it once, however written.
  const byFingerprint = new Map(
    usual.map((certificate) => [new X509Certificate(certificate).fingerprint256, certificate]),
  );
  return [...byFingerprint.values(), ca].join("\n");
}
