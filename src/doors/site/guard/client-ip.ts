import ipaddr from "ipaddr.js";
import { canonicalAddress } from "../../../values/address-ranges.ts";

interface Listener {
  requestIP(request: Request): { address: string } | null;
}

/** The IP that a request comes from; a proxy's word counts only where it is trusted and is an address. */
export function clientIp(request: Request, trustProxy: boolean, listener: Listener | null): string {
  const forwarded = trustProxy ? request.headers.get("x-forwarded-for") : null;
  // The last one is the proxy's own; those before it are what the client claims.
  const told = parseForwarded(forwarded?.split(",").at(-1)?.trim() ?? "");
  return told ?? listener?.requestIP(request)?.address ?? "unknown";
}

/** `192.0.2.1`, `192.0.2.1:5123`, `2001:db8::1` or `[2001:db8::1]:443`, in quotes or not. */
const FORWARDED = /^("?)(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5}|([^"]*))\1$/;

/** Reads one entry of the header. @returns an IPv4-mapped address as IPv4; null where it has none */
function parseForwarded(text: string): string | null {
  const [, , bracketed, beforePort, plain] = FORWARDED.exec(text) ?? [];
  return canonicalAddress(bracketed ?? beforePort ?? plain ?? "");
}

/** The network by which the throttle counts: the /64 for IPv6, since one subscriber has all of it. */
export function networkOf(address: string): string {
  const plain = canonicalAddress(address);
  if (plain === null || ipaddr.IPv4.isValid(plain)) return plain ?? address;
  const { parts } = ipaddr.IPv6.parse(plain);
  return `${new ipaddr.IPv6([...parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}
