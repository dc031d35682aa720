import type { Destination, DownloadFault } from "../../ports/download.ts";
import type { Read } from "../../values/fields.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { type AddressRange, isWithinRange } from "../../values/network/address-ranges.ts";
import type { Resolution, Target, TargetGuard } from "../../values/network/target-guard.ts";
import { readTargetUrl } from "../../values/network/target-guard.ts";

/** An address that a source is read from: https, or http within the operator's own networks. */
export interface SourceAddress {
  isSecure: boolean;
  target: Target;
}

const HTTP = /^http:\/\//i;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/**
 * Parses an address by the rules for webhook receivers, except that http is accepted too:
 * `createSourceGuard` checks where it leads.
 */
export function readSourceAddress(given: string): Read<SourceAddress> {
  const isSecure = !HTTP.test(given);
  // An http address is parsed as if it were https. The default port 80 is removed if it is written out.
  const address = isSecure
    ? given
    : given.replace(HTTP, "https://").replace(/^(https:\/\/[^/?#]+):80(?=[/?#]|$)/i, "$1");
  // Port 443 is refused with http: parsed as https, it could not be told from the default port.
  if (!isSecure && /^http:\/\/[^/?#]+:443(?=[/?#]|$)/i.test(given)) {
    return { fault: message("sourceAddressWrong") };
  }
  const read = readTargetUrl(address);
  if ("fault" in read) {
    return {
      fault: read.fault.code === "notHttpsAddress" ? message("sourceAddressWrong") : read.fault,
    };
  }
  const target = read.value;
  const isUsual = !isSecure && target.port === HTTPS_PORT;
  return { value: { isSecure, target: isUsual ? { ...target, port: HTTP_PORT } : target } };
}

/** Default name of a source: the host and file, shortened to the limit. */
export function nameOfAddress(url: string, lengthMax: number): string {
  if (!URL.canParse(url)) return url.slice(0, lengthMax);
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/\/$/, "").slice(0, lengthMax);
}

/** Resolves and checks the addresses of a source; never throws. */
export type SourceGuard = (address: SourceAddress, timeoutMs: number) => Promise<Resolution>;

/**
 * Checks addresses as those of webhook receivers are checked, and lets http lead only into `allowed`.
 * @param allowed the operator's own networks (`KANALOG_SOURCE_ALLOW`)
 */
export function createSourceGuard(
  guard: TargetGuard,
  allowed: readonly AddressRange[],
): SourceGuard {
  return async ({ isSecure, target }, timeoutMs) => {
    const found = await guard(target, timeoutMs);
    if (isSecure || !found.ok) return found;
    const isOwn = found.addresses.every((address) => isWithinRange(address, allowed));
    return isOwn ? found : { ok: false, reason: "refused" };
  };
}

/** RFC 9110, section 5. */
const HEADER = /^([!#$%&'*+.^_`|~0-9a-z-]+):\s*([\t -~]*)$/i;

/** Parses a header such as `Authorization: Bearer abc`; null for any other text. */
export function readHeader(text: string): Record<string, string> | null {
  const [, name, value] = HEADER.exec(text.trim()) ?? [];
  return name === undefined || value === undefined ? null : { [name.toLowerCase()]: value.trim() };
}

const RESOLVE_MAX_MS = 10_000;

/**
 * Sends a request to the first address of a host that can be reached, each of which was checked.
 * @param tooLarge said of a response that exceeds the request's limit
 */
export async function contactHost<Answer extends object>(
  guard: SourceGuard,
  { isSecure, target }: SourceAddress,
  send: (to: Omit<Destination, "headers">) => Promise<Answer | { fault: DownloadFault }>,
  tooLarge: Message,
): Promise<Answer | { failure: Message }> {
  const { host, port, authority, path } = target;
  const found = await guard({ isSecure, target }, RESOLVE_MAX_MS);
  if (!found.ok) return { failure: message(NOT_CONTACTED[found.reason], { host }) };
  let answer: Answer | { fault: DownloadFault } = { fault: "unreachable" };
  for (const address of found.addresses) {
    answer = await send({ isSecure, address, port, host, authority, path });
    if (!("fault" in answer) || answer.fault !== "unreachable") break;
  }
  if (!("fault" in answer)) return answer;
  const { fault } = answer as { fault: DownloadFault };
  return { failure: fault === "too_large" ? tooLarge : message(NO_RESPONSE[fault], { host }) };
}

const NOT_CONTACTED = {
  refused: "sourceRefused",
  no_such_name: "sourceNoSuchName",
  unresolved: "sourceUnresolved",
} as const;

const NO_RESPONSE = {
  timeout: "sourceTimeout",
  slow: "sourceSlow",
  unreachable: "sourceUnreachable",
  certificate: "sourceCertificate",
  broken: "sourceBroken",
} as const;
