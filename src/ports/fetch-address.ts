import { isIP } from "node:net";

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
