import type { DownloadFault } from "../../ports/download.ts";
import type { Destination } from "../../ports/fetch-address.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import type { SourceAddress, SourceGuard } from "./source-address.ts";

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
