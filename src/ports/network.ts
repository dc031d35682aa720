import { X509Certificate } from "node:crypto";
import { getServers, Resolver, setServers } from "node:dns";
import { isIP } from "node:net";
import { connect, getCACertificates } from "node:tls";
import type { Destination, DownloadRequest, DownloadResult, FetchFault } from "./download.ts";
import { download, fetchAddress, fetchFaultOf } from "./download.ts";

export interface Network {
  /**
   * All IPv4 and IPv6 addresses of a name; none if the name does not exist.
   * @throws if that cannot be determined now: no name server answers in time
   */
  resolve(name: string, timeoutMs: number): Promise<readonly string[]>;
  /**
   * One HTTPS POST to exactly this address; never throws. The response body is not read, and the connection
   * is closed. Bun runs at most 256 requests at once per process; further ones queue within their
   * `timeoutMs`.
   */
  post(request: PostRequest): Promise<PostResult>;
  /**
   * One GET, or another method, in the same way, over http if requested; reads the body up to a limit.
   * Never throws.
   */
  get(request: GetRequest): Promise<GetResult>;
  /** One request to the appliance's own address, over whatever is in front of it; never throws. */
  ask(request: AskRequest): Promise<AskResult>;
  /** When the certificate of an https address ends, or why there is none that this machine trusts. */
  certificateEnd(url: string): Promise<{ endsAt: number } | { fault: string }>;
  /** One GET whose body is written to a file. @throws if the file cannot be written */
  download(request: DownloadRequest): Promise<DownloadResult>;
}

export interface PostRequest extends Outgoing {
  body: Uint8Array;
}

export interface GetRequest extends Outgoing {
  method?: "POST" | "DELETE";
  body?: string;
  isSecure: boolean;
  bytesMax: number;
}

interface Outgoing extends Omit<Destination, "isSecure"> {
  /** Time limit until the end of the response head; for a GET, of its body. */
  timeoutMs: number;
  signal?: AbortSignal;
}

export type PostResult = { status: number } | { fault: PostFault };

export type GetResult =
  | { status: number; body: Uint8Array; retryAfter: string | null }
  | { fault: PostFault | "too_large" };

type PostFault = "timeout" | FetchFault;

/** @param options.ca PEM, trusted in addition to the system's certificates; null for none */
export function systemNetwork(options: { ca: string | null }): Network {
  const ca = options.ca === null ? undefined : withUsualRoots(options.ca);
  return {
    resolve,
    post: (request) => post(request, ca),
    get: (request) => get(request, ca),
    ask: askAddress,
    certificateEnd,
    download: (request) => download(request, ca),
  };
}

async function resolve(name: string, timeoutMs: number): Promise<readonly string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`${name}: no answer within ${timeoutMs} ms`));
  const timer = setTimeout(fail, timeoutMs);
  try {
    // c-ares waits for answers concurrently. The system resolver, which node:dns uses, blocks the few
    // threads that also read files: two hanging names would block them all.
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

/** c-ares codes for a name that does not exist or has no address. */
const NO_SUCH_NAME = new Set(["DNS_ENOTFOUND", "DNS_ENODATA"]);

/** c-ares reads /etc/resolv.conf only once per process; a new resolver reads it again. */
function followSystemSettings(): void {
  try {
    const servers = new Resolver().getServers();
    if (servers.join() !== getServers().join()) setServers(servers);
  } catch {
    // setServers rejects some addresses; the next lookup then asks the previous servers.
  }
}

/**
 * Bun's fetch rather than node:https: to a local receiver it makes 3,100, 3,900 and 4,000 requests a second
 * at a concurrency of 8, 64 and 128, off the main thread, against 1,300 to 1,400 on it. Ten receivers
 * sending endless 1xx responses grow the process by 17 MB, against 136 MB.
 */
async function post(request: PostRequest, ca: string | undefined): Promise<PostResult> {
  const secure = { ...request, isSecure: true };
  return send(secure, { method: "POST", body: request.body }, ca, async (answer) => {
    // Closes the connection; failing to do so does not matter.
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
    // Leaving the loop early closes the connection.
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

/** The given CA plus the usual roots: with a CA, Bun trusts nothing else. */
function withUsualRoots(ca: string): string {
  const usual = [...getCACertificates("default"), ...getCACertificates("system")];
  // Each certificate once, however it is formatted, because every request passes the whole text.
  const byFingerprint = new Map(
    usual.map((certificate) => [new X509Certificate(certificate).fingerprint256, certificate]),
  );
  return [...byFingerprint.values(), ca].join("\n");
}

/** A request for an answer with its headers, of an address that the operator configured or typed. */
export interface AskRequest {
  method: "GET" | "POST" | "OPTIONS";
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

export type AskResult =
  | { status: number; header(name: string): string | null; body: string }
  /** Why there is no answer, such as `ECONNREFUSED`. */
  | { fault: string };

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 64 * 1024;

function certificateEnd(url: string): ReturnType<Network["certificateEnd"]> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const { promise, resolve } =
    Promise.withResolvers<Awaited<ReturnType<Network["certificateEnd"]>>>();
  const socket = connect({ host, port: Number(port) || 443, ...servername }, () =>
    resolve({ endsAt: Date.parse(socket.getPeerCertificate().valid_to) }),
  );
  socket.on("error", ({ code, message }: NodeJS.ErrnoException) =>
    resolve({ fault: code ?? message }),
  );
  socket.setTimeout(TIMEOUT_MS, () => resolve({ fault: "timeout" }));
  return promise.finally(() => socket.destroy());
}

/** Sends it without following redirects, and reads the beginning of the answer. Never throws. */
export async function askAddress({ url, ...init }: AskRequest): Promise<AskResult> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(url, {
      ...init,
      ...{ signal, redirect: "manual", keepalive: false, proxy: false },
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    // Leaving the loop early closes the connection.
    for await (const chunk of answer.body ?? []) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= BYTES_MAX) break;
    }
    const body = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, BYTES_MAX));
    return { status: answer.status, header: (name) => answer.headers.get(name), body };
  } catch (error) {
    if (signal.aborted) return { fault: "timeout" };
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { fault: typeof code === "string" ? code : String(message ?? error) };
  }
}
