import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { isIP } from "node:net";
import { pipeline } from "node:stream/promises";
import type { LeastRate } from "./own-work.ts";

/** One GET to exactly this address, with the body written to a file. */
export interface DownloadRequest extends Destination {
  /** File to create for the body, which is stored as sent: compressed if it arrives compressed. */
  into: string;
  /** Least rate from the request on, so that a server that is silent or sends byte by byte is given up. */
  leastRate: LeastRate;
  bytesMax: number;
  signal: AbortSignal;
}

export type DownloadResult =
  | { status: number; headers: DownloadHeaders; bytes: number }
  | { fault: DownloadFault };

/** Response headers that matter to sources; null for those that are missing. */
export type DownloadHeaders = Record<
  "etag" | "last-modified" | "location" | "retry-after" | "content-type",
  string | null
>;

/** Also `broken` if the body ended before its announced length. */
export type DownloadFault = "timeout" | "slow" | FetchFault | "too_large";

/** Bytes to read of a response that is not the file, such as an error page. */
const REFUSAL_BYTES_MAX = 64 * 1024;

/**
 * Downloads into a file, which stays even if the download fails.
 * @param ca PEM of all trusted certificates, if not just the usual ones
 * @throws if the file cannot be written
 */
export async function download(
  request: DownloadRequest,
  ca: string | undefined,
): Promise<DownloadResult> {
  const file = await open(request.into, "w", 0o600);
  const rate = watchRate(request.leastRate);
  const signal = AbortSignal.any([rate.signal, request.signal]);
  const faultOf = (fault: FetchFault): DownloadResult => {
    if (rate.signal.aborted) return { fault: "slow" };
    return { fault: signal.aborted ? "timeout" : fault };
  };
  try {
    const answer = await fetchAddress(request, { signal }, ca).catch(fetchFaultOf);
    if (typeof answer === "string") return faultOf(answer);
    const announced = answer.headers.get("content-length");
    if (answer.ok && Number(announced) > request.bytesMax) return { fault: "too_large" };
    const bytesMax = answer.ok ? request.bytesMax : REFUSAL_BYTES_MAX;
    const pieces = answer.body?.getReader();
    let bytes = 0;
    for (;;) {
      const piece = await pieces?.read().catch(() => null);
      if (piece === null) return faultOf("broken");
      if (piece === undefined || piece.done) break;
      bytes += piece.value.byteLength;
      rate.add(piece.value.byteLength);
      if (bytes > bytesMax && answer.ok) return { fault: "too_large" };
      if (bytes > bytesMax) break;
      await file.appendFile(piece.value);
    }
    if (answer.status === 200 && announced !== null && Number(announced) !== bytes) {
      return { fault: "broken" };
    }
    return { status: answer.status, headers: headersOf(answer.headers), bytes };
  } finally {
    // Closes the connection of a body that was not read to its end.
    rate.end();
    await file.close();
  }
}

/** How often the rate is looked at within the time over which it is measured. */
const LOOKS = 12;

/** A signal that aborts once fewer bytes arrived than the rate demands, or when watching ends. */
function watchRate({ kilobytesPerS, overMs }: LeastRate) {
  const controller = new AbortController();
  const leastBytes = (kilobytesPerS * 1024 * overMs) / 1000;
  /** Bytes between two looks, latest first. */
  let pieces: number[] = [0];
  const timer = setInterval(() => {
    const bytes = pieces.reduce((sum, one) => sum + one, 0);
    if (pieces.length === LOOKS && bytes < leastBytes) controller.abort();
    pieces = [0, ...pieces].slice(0, LOOKS);
  }, overMs / LOOKS);
  return {
    signal: controller.signal,
    add(bytes: number): void {
      pieces[0] = (pieces[0] ?? 0) + bytes;
    },
    end(): void {
      clearInterval(timer);
      controller.abort();
    },
  };
}

function headersOf(headers: Headers): DownloadHeaders {
  return {
    etag: headers.get("etag"),
    "last-modified": headers.get("last-modified"),
    location: headers.get("location"),
    "retry-after": headers.get("retry-after"),
    "content-type": headers.get("content-type"),
  };
}

const SEND_TIMEOUT_MS = 30_000;

/** Where a request goes: an address that has already been resolved and checked. */
export interface Destination {
  isSecure: boolean;
  address: string;
  port: number;
  /** Name (or address, without brackets) that the certificate must be for. */
  host: string;
  /** Value of the `Host` header. */
  authority: string;
  /** Path with query, starting with a slash. */
  path: string;
  headers: Record<string, string>;
}

export type FetchFault =
  /** No connection was made and nothing was sent, so another address may be tried. */
  | "unreachable"
  /** The certificate has expired, is for another name, or has an unknown issuer. */
  | "certificate"
  /** The connection was lost, or the other side does not speak the protocol. */
  | "broken";

/**
 * `fetch` to exactly this address: bypasses proxies, follows no redirects, and uses its own connection.
 * @param ca PEM of all trusted certificates, if not just the usual ones
 * @throws what `fetchFaultOf` classifies
 */
export async function fetchAddress(
  { isSecure, address, port, host, authority, path, headers }: Destination,
  init: { method?: string; body?: Uint8Array; signal: AbortSignal },
  ca: string | undefined,
): Promise<Response> {
  const version = isIP(address);
  // `fetch` would resolve a name again, without the check.
  if (version === 0) throw Object.assign(new Error("not an address"), { code: "EHOSTUNREACH" });
  const target = version === 6 ? `[${address}]` : address;
  const scheme = isSecure ? "https" : "http";
  return fetch(`${scheme}://${target}:${port}/${path.slice(1)}`, {
    ...init,
    headers: { ...headers, host: authority, connection: "close" },
    redirect: "manual",
    proxy: false,
    keepalive: false,
    decompress: false,
    ...(isSecure && {
      tls: { serverName: host, rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
    }),
  });
}

const UNREACHABLE =
  /^(ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT|EACCES|EPERM|EMFILE|ENFILE)$/;
/** OpenSSL's verification errors as Node and Bun name them. */
const CERTIFICATE =
  /CERT|CRL|SIGNATURE|ISSUER|^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

/** Classifies what `fetchAddress` threw, by the error's code. */
export function fetchFaultOf(error: unknown): FetchFault {
  const code = String((error as { code?: unknown }).code);
  if (UNREACHABLE.test(code)) return "unreachable";
  return CERTIFICATE.test(code) ? "certificate" : "broken";
}

/** A release takes 150 MB. */
const SAVED_WITHIN_MS = 30 * 60 * 1000;

/** Saves what an https address has into a new file; follows redirects to such. @throws Error saying why not */
export async function saveAddress(url: string, path: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(SAVED_WITHIN_MS) });
  if (!answer.url.startsWith("https:")) throw new Error(`${answer.url} is not https`);
  if (!answer.ok || answer.body === null) throw new Error(`${url} answers ${answer.status}`);
  await pipeline(answer.body, createWriteStream(path, { flags: "wx" }));
}

export type TextResult = { status: number; body: string } | { fault: string };

/** Queries this machine's own servers: bypasses proxies and follows no redirects. Never throws. */
export async function getText(address: string, timeoutMs: number): Promise<TextResult> {
  try {
    const answer = await fetch(address, {
      redirect: "manual",
      proxy: false,
      keepalive: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.status, body: await answer.text() };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { fault: typeof code === "string" ? code : String(message ?? error) };
  }
}

/** Posts JSON text and returns the response, whatever its status. @throws if there is none */
export type PostText = (
  headers: Record<string, string>,
  body: string,
) => Promise<{ status: number; body: string }>;

/** Posts to one address with an API key. Also runs in Node.js, in the bundle for Claude Desktop. */
export function postTextTo(address: string, key: string): PostText {
  return async (headers, body) => {
    const answer = await fetch(address, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    });
    return { status: answer.status, body: await answer.text() };
  };
}

/** Sends any request and returns the whole response, whatever its status; follows no redirects. */
export async function sendTo(
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string },
): Promise<{ status: number; headers: Headers; text: string }> {
  const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
  const answer = await fetch(url, { ...init, signal, redirect: "manual" });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
