import ipaddr from "ipaddr.js";
import { canonicalAddress } from "../../../values/network/address-ranges.ts";

interface Listener {
  requestIP(request: Request): { address: string } | null;
}

/** The client's IP; a proxy's header counts only if the proxy is trusted and the header is an address. */
export function clientIp(request: Request, trustProxy: boolean, listener: Listener | null): string {
  const header = trustProxy ? request.headers.get("x-forwarded-for") : null;
  // The proxy itself appended the last entry; earlier ones are only the client's claims.
  const forwarded = parseForwarded(header?.split(",").at(-1)?.trim() ?? "");
  return forwarded ?? listener?.requestIP(request)?.address ?? "unknown";
}

/** Matches `192.0.2.1`, `192.0.2.1:5123`, `2001:db8::1` or `[2001:db8::1]:443`, quoted or not. */
const FORWARDED = /^("?)(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5}|([^"]*))\1$/;

/** Parses one entry of the header. @returns an IPv4-mapped address as IPv4; null if it has none */
function parseForwarded(text: string): string | null {
  const [, , bracketed, beforePort, plain] = FORWARDED.exec(text) ?? [];
  return canonicalAddress(bracketed ?? beforePort ?? plain ?? "");
}

/** The network that a client counts as: the /64 for IPv6, because one device has all of it. */
export function networkOf(address: string): string {
  return networksOf(address).at(-1) ?? address;
}

/**
 * The networks that limits of strangers count by, the widest first: the /48 and the /64 for IPv6, since one
 * subscriber may have all of a /48; an IPv4 address alone.
 */
export function networksOf(address: string): string[] {
  if (!address.includes(":")) return [address];
  const plain = canonicalAddress(address);
  if (plain === null || !plain.includes(":")) return [plain ?? address];
  const { parts } = ipaddr.IPv6.parse(plain);
  return [48, 64].map((bits) => {
    const kept = parts.slice(0, bits / 16);
    return `${new ipaddr.IPv6([...kept, ...Array(8 - kept.length).fill(0)])}/${bits}`;
  });
}

/** The limits of a kind for a client's networks. */
export function limitNames(kind: string, address: string): string[] {
  return networksOf(address).map((network) => `${kind} ${network}`);
}
