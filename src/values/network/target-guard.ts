import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { isLonger, type Read } from "../fields.ts";
import { message } from "../messages/messages.ts";
import {
  type AddressRange,
  canonicalAddress,
  isWithinRange,
  parseAddress,
  parseAddressRange,
} from "./address-ranges.ts";

/** Where webhooks may not point, as far as the address itself tells; `resolve-target.ts` resolves names. */

export interface Target {
  /** Lower case, punycode, no trailing dot; an IPv6 address without brackets. */
  host: string;
  isAddress: boolean;
  port: number;
  /** Path and query as sent. */
  path: string;
  /** Value of the `Host` header. */
  authority: string;
}

/** Length in code points. */
export const URL_LENGTH_MAX = 2048;
const TOO_LONG = message("tooLong", { characters: URL_LENGTH_MAX });
const INVALID = message("notHttpsAddress");
const WRONG_PORT = message("wrongPort");
const USER_INFO = message("userInAddress");

/**
 * Characters that `new URL` drops, trims or treats as a slash, so that the displayed address would differ
 * from the one called: control, format (soft hyphen, zero width, direction) and separator characters,
 * unpaired surrogates, the backslash.
 */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u;

/** Requires the scheme, both slashes and an authority; `new URL` would tolerate missing slashes. */
const HTTPS = /^https:\/\/([^/?#]+)/i;

/** A DNS label (RFC 1035, section 2.3.4); underscores do occur. */
const LABEL = /^[a-z0-9_-]{1,63}$/;
const NAME_LENGTH_MAX = 253;

/**
 * Parses a webhook address. Every spelling of an IP address (decimal, octal, hexadecimal, fewer parts,
 * percent-encoded, full-width digits) is converted to its strict one, as WHATWG URL does; a fragment is
 * dropped, because it is never sent.
 */
export function readTargetUrl(given: string): Read<Target> {
  if (isLonger(given, URL_LENGTH_MAX)) return { fault: TOO_LONG };
  const authority = DECEPTIVE.test(given) ? undefined : HTTPS.exec(given)?.[1];
  if (authority === undefined) return { fault: INVALID };
  if (authority.includes("@")) return { fault: USER_INFO };
  if (!URL.canParse(given)) return { fault: INVALID };

  const url = new URL(given);
  const port = url.port === "" ? 443 : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isAddress = parseAddress(host) !== null;
  // `new URL` accepts empty labels (`127.0.0.1..`), overlong ones and most ASCII characters.
  if (!isAddress && !isName(host)) return { fault: INVALID };
  if (port !== 443 && port <= 1023) return { fault: WRONG_PORT };

  const hostInUrl = host.includes(":") ? `[${host}]` : host;
  return {
    value: {
      host,
      isAddress,
      port,
      path: url.pathname + url.search,
      authority: port === 443 ? hostInUrl : `${hostInUrl}:${port}`,
    },
  };
}

/**
 * Names that refer to the operator's own network.
 * @param host a name as in `Target`, not an address
 */
export function isLocalName(host: string): boolean {
  return !host.includes(".") || /\.(localhost|local|internal)$/.test(host);
}

/**
 * Blocks that are not part of the public internet: the whole IANA IPv4 Special-Purpose Address Registry
 * (https://www.iana.org/assignments/iana-ipv4-special-registry) and multicast. That includes blocks which
 * the registry calls globally reachable (AS112, AMT, anycast within 192.0.0.0/24): they lead to a nearby
 * node of a shared service, never to a customer's receiver.
 */
const SPECIAL_IPV4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared, behind carriers' NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, metadata services of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, limited broadcast
].map(parseAddressRange);

/**
 * The only block from which IANA assigns public addresses. It excludes loopback, mapped and compatible
 * IPv4, NAT64, discard, segment routing, unique local, link-local, site-local and multicast addresses.
 */
const GLOBAL_UNICAST_IPV6 = [parseAddressRange("2000::/3")];

/**
 * Special blocks within it: the IANA IPv6 Special-Purpose Address Registry
 * (https://www.iana.org/assignments/iana-ipv6-special-registry).
 */
const SPECIAL_IPV6 = [
  "2001::/23", // protocol assignments: Teredo, benchmarking, ORCHID and others
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
].map(parseAddressRange);

/**
 * Whether an address is globally routable; false for anything that is not an address. IPv4-mapped, NAT64,
 * 6to4 and Teredo addresses are not, whatever they embed.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !isWithinRange(address, SPECIAL_IPV4);
  if (!isWithinRange(address, GLOBAL_UNICAST_IPV6)) return false;
  if (isWithinRange(address, SPECIAL_IPV6)) return false;
  const embedded = isatapAddress(address);
  return embedded === null || isPublicAddress(embedded);
}

/**
 * The IPv4 address that a router would tunnel an ISATAP address to, under any prefix: the last 32 bits
 * after `0:5efe` or `200:5efe` (RFC 5214, section 6.1).
 */
function isatapAddress(text: string): string | null {
  const bytes = parseAddress(text)?.toByteArray() ?? [];
  const marker = bytes.slice(8, 12).join(".");
  const isIsatap = marker === "0.0.94.254" || marker === "2.0.94.254";
  return isIsatap ? ipaddr.fromByteArray(bytes.slice(12)).toString() : null;
}

function isName(host: string): boolean {
  return host.length <= NAME_LENGTH_MAX && host.split(".").every((label) => LABEL.test(label));
}

/** The addresses to connect to, at least one; or why not to connect. */
export type Resolution =
  | { ok: true; addresses: readonly string[] }
  | { ok: false; reason: ResolutionFault };

type ResolutionFault =
  /** An address of a private network. */
  | "refused"
  | "no_such_name"
  /** It cannot be determined now whether the name exists. */
  | "unresolved";

/** Resolves and checks the addresses of a target; never throws. */
export type TargetGuard = (target: Target, timeoutMs: number) => Promise<Resolution>;

/**
 * Checks a target before every connection. The caller connects to one of the returned addresses without
 * resolving the name again, because it may resolve differently the next time.
 * @param resolve all IPv4 and IPv6 addresses of a name; none if it does not exist; throws if that cannot be
 * determined now
 * @param allowed the operator's own networks (`KANALOG_WEBHOOK_ALLOW`), exempt from refusal
 */
export function createTargetGuard(
  resolve: (name: string, timeoutMs: number) => Promise<readonly string[]>,
  allowed: readonly AddressRange[],
): TargetGuard {
  /** A single forbidden address refuses all, because which one is used is chance. */
  const judge = (answers: readonly string[], isLocal: boolean): Resolution => {
    const isAcceptable = (address: string) =>
      isWithinRange(address, allowed) || (!isLocal && isPublicAddress(address));
    return answers.every(isAcceptable)
      ? { ok: true, addresses: inOrder(answers) }
      : { ok: false, reason: "refused" };
  };

  return async (target, timeoutMs) => {
    if (target.isAddress) return judge([target.host], false);
    const isLocal = isLocalName(target.host);
    // Not even resolved: the query itself would reveal facts about the operator's network.
    if (isLocal && allowed.length === 0) return { ok: false, reason: "refused" };
    try {
      const answers = await resolve(target.host, timeoutMs);
      return answers.length === 0 ? { ok: false, reason: "no_such_name" } : judge(answers, isLocal);
    } catch {
      return { ok: false, reason: "unresolved" };
    }
  };
}

/** Canonical addresses without duplicates; IPv4 first, otherwise in the given order. */
function inOrder(answers: readonly string[]): string[] {
  const addresses = [...new Set(answers.map((answer) => canonicalAddress(answer) ?? answer))];
  const isIPv6 = (address: string) => address.includes(":");
  return [
    ...addresses.filter((address) => !isIPv6(address)),
    ...addresses.filter((address) => isIPv6(address)),
  ];
}
