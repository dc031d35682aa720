import { isIP } from "node:net";

/** Where a request goes: an address that was resolved and judged before. */
export interface Destination {
  isSecure: boolean;
  /** The IP address to connect to. */
  address: string;
  port: number;
  /** Name (or address, without brackets) that the certificate must be for. */
  host: string;
  /** The Host header. */
  authority: string;
  /** From its slash on, with the query. */
  path: string;
  headers: Record<string, string>;
}

export type FetchFault =
  /** No connection was made and nothing was sent: another address may be tried. */
  | "unreachable"
  /** The certificate is not for this name, not of a known CA, expired. */
  | "certificate"
  /** The connection was lost, or the other side does not speak the protocol. */
  | "broken";

/**
 * `fetch` to exactly this address: past every proxy, following no redirect, on a connection of its own.
 * @param ca PEM of all certificates that are trusted, where not only the usual ones are
 * @throws what `fetchFaultOf` names
 */
export async function fetchAddress(
  { isSecure, address, port, host, authority, path, headers }: Destination,
  init: { method?: string; body?: Uint8Array; signal: AbortSignal },
  ca: string | undefined,
): Promise<Response> {
  const version = isIP(address);
  // fetch would resolve a name once more, unchecked.
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
/** The names that OpenSSL's verification results have in Node and Bun. */
const CERTIFICATE =
  /CERT|CRL|SIGNATURE|ISSUER|^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

export function fetchFaultOf(error: unknown): FetchFault {
  const code = String((error as { code?: unknown }).code);
  if (UNREACHABLE.test(code)) return "unreachable";
  return CERTIFICATE.test(code) ? "certificate" : "broken";
}
