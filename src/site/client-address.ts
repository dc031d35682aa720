import ipaddr from "ipaddr.js";

interface Listener {
  requestIP(request: Request): { address: string } | null;
}

/** Where a request comes from; a proxy's word counts only where it is trusted. */
export function clientAddress(
  request: Request,
  trustProxy: boolean,
  listener: Listener | null,
): string {
  const forwarded = trustProxy ? request.headers.get("x-forwarded-for") : null;
  // The last one is the proxy's own; those before it are what the client claims.
  const told = forwarded?.split(",").at(-1)?.trim();
  return told || (listener?.requestIP(request)?.address ?? "unknown");
}

/** By which attempts are counted: of IPv6 the network, since one subscriber has all of its /64. */
export function addressName(address: string): string {
  if (!ipaddr.isValid(address)) return `address ${address}`;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `network ${parsed.parts.slice(0, 4).join(":")}`
    : `address ${parsed}`;
}
