import type { DownloadHeaders, DownloadRequest, DownloadResult } from "../../ports/download.ts";
import { LEAST_RATE } from "../../ports/own-work.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { contactHost } from "./contact-host.ts";
import { readSourceAddress, type SourceAddress, type SourceGuard } from "./source-address.ts";

type Download = (request: DownloadRequest) => Promise<DownloadResult>;

export type Downloaded =
  | { status: number; headers: DownloadHeaders; bytes: number }
  | { failure: Message };

const BYTES_MAX = 2 * 1024 ** 3;
const REDIRECTS_MAX = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads what a URL serves into a file. Each address that the host resolves to is checked before
 * connecting; redirects are followed only on the same host and port.
 * @param url an address that `readSourceAddress` accepts
 */
export async function downloadFile(
  { guard, download }: { guard: SourceGuard; download: Download },
  url: string,
  request: Pick<DownloadRequest, "headers" | "into" | "signal">,
): Promise<Downloaded> {
  let at = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const read = readSourceAddress(at);
    if ("fault" in read) return { failure: read.fault };
    const address = read.value;
    const limits = { leastRate: LEAST_RATE, bytesMax: BYTES_MAX };
    const answer = await contactHost(
      guard,
      address,
      (to) => download({ ...request, ...to, ...limits }),
      message("sourceTooLarge", { gigabytes: BYTES_MAX / 1024 ** 3 }),
    );
    if ("failure" in answer || !REDIRECTS.has(answer.status)) return answer;
    const next = redirectOf(address, at, answer.headers.location);
    if ("failure" in next) return next;
    at = next.url;
  }
  return { failure: message("sourceRedirects", { redirects: REDIRECTS_MAX }) };
}

function redirectOf(
  { target, isSecure }: SourceAddress,
  at: string,
  location: string | null,
): { url: string } | { failure: Message } {
  if (location === null || !URL.canParse(location, at)) {
    return { failure: message("sourceRedirected", { host: "?" }) };
  }
  const url = new URL(location, at).href;
  const read = readSourceAddress(url);
  const isSame =
    "value" in read &&
    read.value.isSecure === isSecure &&
    read.value.target.host === target.host &&
    read.value.target.port === target.port;
  return isSame
    ? { url }
    : { failure: message("sourceRedirected", { host: new URL(url).host || "?" }) };
}
