import type { Config } from "../../../config.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Random } from "../../../ports/ports.ts";
import { type RawArguments, UNDECODABLE } from "../../../verbs/read-arguments.ts";

/** The address under which clients reach the appliance, without a trailing slash. */
export type BaseAddress = (request: Request) => string;

/** Used if the request's Host header is invalid. */
const UNKNOWN_ADDRESS = "http://localhost";

/**
 * The configured address; else the one that the server listens on; else, if it listens on all addresses, the
 * one that the request names.
 * @param listener returns the address that the server listens on; null for all addresses, or before it listens
 */
export function createBaseAddress(config: Config, listener: () => string | null): BaseAddress {
  return (request) => {
    if (config.baseUrl !== null) return config.baseUrl;
    return listener() ?? addressOfRequest(request, config.trustProxy);
  };
}

/**
 * The appliance's address as this client sees it: a trusted proxy's headers take precedence over the
 * listener. Not for mails and other texts that somebody else reads: if the proxy does not set the address,
 * the sender of the request chooses it.
 */
export function createOwnAddress(config: Config, listener: () => string | null): BaseAddress {
  const baseAddress = createBaseAddress(config, listener);
  return (request) =>
    config.baseUrl === null && config.trustProxy
      ? addressOfRequest(request, true)
      : baseAddress(request);
}

/**
 * The appliance's address for OAuth, which must be known without a request, and be https or local; null if
 * OAuth is off. Anybody who could choose this address would receive the tokens.
 * @param listener as what `listener` of `createBaseAddress` returns
 */
export function oauthAddress(
  { oauth, baseUrl }: Pick<Config, "oauth" | "baseUrl">,
  listener: string | null,
): string | null {
  const address = oauth ? (baseUrl ?? listener) : null;
  if (address === null) return null;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || LOOPBACK_HOST.test(hostname) ? address : null;
}

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function addressOfRequest({ url, headers }: Request, trustProxy: boolean): string {
  const [own = UNKNOWN_ADDRESS] = /^https?:\/\/[^/?#]+/i.exec(url) ?? [];
  // The last value is the proxy's own; earlier ones are the client's claims, as in X-Forwarded-For.
  const forwarded = (name: string): string | undefined =>
    trustProxy ? headers.get(name)?.split(",").at(-1)?.trim() : undefined;
  const scheme = forwarded("x-forwarded-proto") ?? own.slice(0, own.indexOf(":"));
  const host = forwarded("x-forwarded-host") ?? own.slice(own.indexOf("//") + 2);
  const address = `${scheme}://${host}`;
  return [address, own].find(isAddress) ?? UNKNOWN_ADDRESS;
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+$/i.test(text) && URL.canParse(text);
}

export const REQUEST_ID = "x-request-id";

const ACCEPTED = /^[\w.-]{1,64}$/;

/** The caller's request id if it is well-formed, else a new UUIDv7. */
export function requestIdOf(request: Request, random: Random, clock: Clock): string {
  const given = request.headers.get(REQUEST_ID);
  return given !== null && ACCEPTED.test(given) ? given : random.uuid(clock.now());
}

/**
 * The path exactly as the caller wrote it, escapes included. Without `new URL`, which throws on an invalid
 * Host.
 */
export function pathOf({ url }: Request): string {
  return /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? "/";
}

/** The query with its question mark; empty if there is none. */
export function queryOf({ url }: Request): string {
  return /^[^?#]*(\?[^#]*)?/.exec(url)?.[1] ?? "";
}

/**
 * A URL's query as texts by name; of a repeated name, the last one counts. A value whose escapes are not
 * UTF-8 becomes `UNDECODABLE`; Bun's own parser would leave it as it is.
 */
export function readQuery(url: string): RawArguments {
  const raw: RawArguments = Object.create(null);
  const start = url.indexOf("?");
  if (start < 0) return raw;
  const end = url.indexOf("#", start);
  for (const pair of url.slice(start + 1, end < 0 ? undefined : end).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name !== UNDECODABLE) raw[name] = equals < 0 ? "" : decode(pair.slice(equals + 1));
  }
  return raw;
}

function decode(text: string): string | typeof UNDECODABLE {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return UNDECODABLE;
  }
}
