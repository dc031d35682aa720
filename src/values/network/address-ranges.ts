import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * IP addresses and address ranges. Only strict spellings are accepted: IPv4 as four decimal numbers, IPv6
 * without a zone id or brackets.
 */

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A CIDR range. Bits of the base after the prefix are ignored. */
export interface AddressRange {
  readonly base: Address;
  readonly prefixBits: number;
}

/** IPv4-mapped IPv6 addresses, `::ffff:0:0/96` (RFC 4291, section 2.5.5.2). */
const MAPPED_PREFIX_BITS = 96;

/** Parses an address; null for any other text. An IPv4-mapped address stays IPv6. */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  if (!isIPv6(text) || text.includes("%")) return null;
  return ipaddr.IPv6.parse(withoutDottedTail(text));
}

/**
 * The canonical spelling of an address: shortest form, lower case, IPv4-mapped as IPv4. Null for other
 * text.
 */
export function canonicalAddress(text: string): string | null {
  // Only its canonical spelling is accepted, and it stands in most requests.
  if (isIPv4(text)) return text;
  const address = parseAddress(text);
  return address === null ? null : unmapped(address).toString();
}

/**
 * Parses a CIDR such as `10.0.0.0/8` or `fd00::/8`, or a single address.
 * @throws Error with a sentence that says what would be valid
 */
export function parseAddressRange(text: string): AddressRange {
  const match = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text);
  const address = parseAddress(match?.[1] ?? "");
  const addressBits = address?.kind() === "ipv4" ? 32 : 128;
  const prefixBits = Number(match?.[2] ?? addressBits);
  if (address === null || prefixBits > addressBits) {
    throw new Error(`${JSON.stringify(text)} is not an address range such as 10.0.0.0/8.`);
  }
  // A range of mapped addresses becomes an IPv4 range, because its addresses are compared as IPv4.
  const base = prefixBits < MAPPED_PREFIX_BITS ? address : unmapped(address);
  const isMapped = base !== address;
  return { base, prefixBits: isMapped ? prefixBits - MAPPED_PREFIX_BITS : prefixBits };
}

/** An IPv4-mapped address is treated as IPv4; text that is not an address lies in no range. */
export function isWithinRange(address: string, ranges: readonly AddressRange[]): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  const judged = unmapped(parsed);
  return ranges.some(
    ({ base, prefixBits }) => base.kind() === judged.kind() && judged.match(base, prefixBits),
  );
}

function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address;
}

/**
 * Writes `::1.2.3.4` as `::102:304`. ipaddr.js would take the former for the mapped `::ffff:1.2.3.4`, and
 * so for an IPv4 address.
 */
function withoutDottedTail(text: string): string {
  const dotted = /[\d.]+\.\d+$/.exec(text)?.[0];
  if (dotted === undefined) return text;
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(dotted).octets;
  const tail = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return text.slice(0, -dotted.length) + tail;
}

const ALL_INTERFACES = new Set(["0.0.0.0", "::", "[::]"]);

/** The one address that a server listens on; null if it listens on all of the machine's. */
export function listenerAddress(host: string, port: number): string | null {
  if (ALL_INTERFACES.has(host)) return null;
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

/** An address under which this machine reaches a server that listens there. */
export function localAddress(host: string, port: number): string {
  return listenerAddress(host, port) ?? `http://localhost:${port}`;
}
