import type { GetRequest, GetResult } from "../../ports/network.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { readSourceAddress, type SourceGuard } from "./source-address.ts";

/** The answer of a messenger's API: its status, and its body where that is JSON. */
export type ApiAnswer = { status: number; json: unknown } | { failure: Message };

const RESOLVE_MAX_MS = 10_000;
/** Sources, section 1. */
const ANSWER_BYTES_MAX = 10_000_000;

/**
 * Asks a messenger's API. The address may hold the token, so no message names more of it than its host.
 * @param url an address that `readSourceAddress` takes
 */
export async function askApi(
  { guard, get }: { guard: SourceGuard; get(request: GetRequest): Promise<GetResult> },
  url: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ApiAnswer> {
  const read = readSourceAddress(url);
  if ("fault" in read) return { failure: read.fault };
  const { isSecure, target } = read.value;
  const { host, port, authority, path } = target;
  const found = await guard(read.value, RESOLVE_MAX_MS);
  if (!found.ok) return { failure: unreachable(found.reason, host) };
  let answer: GetResult = { fault: "unreachable" };
  for (const address of found.addresses) {
    answer = await get({
      ...{ isSecure, address, port, host, authority, path, timeoutMs, signal },
      ...{ headers: { accept: "application/json", "user-agent": "Kanalog/1" } },
      bytesMax: ANSWER_BYTES_MAX,
    });
    if (!("fault" in answer) || answer.fault !== "unreachable") break;
  }
  if ("fault" in answer) return { failure: brokenOff(answer.fault, host) };
  return { status: answer.status, json: parsed(answer.body) };
}

/** Undefined for what is no JSON. */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** Why no address of a host may or can be connected to. */
export function unreachable(
  reason: "refused" | "no_such_name" | "unresolved",
  host: string,
): Message {
  const codes = {
    refused: "sourceRefused",
    no_such_name: "sourceNoSuchName",
    unresolved: "sourceUnresolved",
  } as const;
  return message(codes[reason], { host });
}

/** Why a host gave no whole answer. */
export function brokenOff(
  fault: "timeout" | "unreachable" | "certificate" | "broken" | "too_large",
  host: string,
): Message {
  const codes = {
    timeout: "sourceTimeout",
    unreachable: "sourceUnreachable",
    certificate: "sourceCertificate",
    broken: "sourceBroken",
    too_large: "sourceAnswerTooLarge",
  } as const;
  return message(codes[fault], { host });
}
