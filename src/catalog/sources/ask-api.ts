import type { GetRequest, GetResult } from "../../ports/network.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { parseExact } from "../imports/exact-number.ts";
import { readSourceAddress, type SourceGuard } from "./source-address.ts";

/** One request to a messenger's API: a GET, where it says nothing else. */
interface ApiRequest {
  method?: "POST" | "DELETE";
  /** JSON. */
  body?: string;
  /** An address that `readSourceAddress` takes. */
  url: string;
  /** Beside the usual ones. */
  headers?: Record<string, string>;
  /** For the whole answer. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** The answer: its status, and its body where that is JSON. Whole numbers beyond 2^53 are bigints. */
export type ApiAnswer =
  /** @param retryAfterMs by the answer's header; null where it says nothing */
  { status: number; json: unknown; retryAfterMs: number | null } | { failure: Message };

export type AskApi = (request: ApiRequest) => Promise<ApiAnswer>;

const RESOLVE_MAX_MS = 10_000;
/** An answer that is longer is not read (sources, section 1). */
const ANSWER_BYTES_MAX = 10_000_000;

/**
 * Asks a messenger's API. The address may hold the token, so no message names more of it than its host.
 * A redirect is not followed: its status is the answer's.
 */
export async function askApi(
  { guard, get }: { guard: SourceGuard; get(request: GetRequest): Promise<GetResult> },
  { url, headers = {}, timeoutMs, signal, method, body }: ApiRequest,
): Promise<ApiAnswer> {
  const read = readSourceAddress(url);
  if ("fault" in read) return { failure: read.fault };
  const { isSecure, target } = read.value;
  const { host, port, authority, path } = target;
  const found = await guard(read.value, RESOLVE_MAX_MS);
  if (!found.ok) return { failure: notAsked(found.reason, host) };
  let answer: GetResult = { fault: "unreachable" };
  for (const address of found.addresses) {
    answer = await get({
      ...{ isSecure, address, port, host, authority, path, timeoutMs, signal },
      headers: {
        accept: "application/json",
        "user-agent": "Kanalog/1",
        ...headers,
        ...typeOf(body),
      },
      ...(method !== undefined && { method }),
      ...(body !== undefined && { body }),
      bytesMax: ANSWER_BYTES_MAX,
    });
    if (!("fault" in answer) || answer.fault !== "unreachable") break;
  }
  if ("fault" in answer) return { failure: brokenOff(answer.fault, host) };
  const { status, retryAfter } = answer;
  return { status, json: parsed(answer.body), retryAfterMs: secondsOf(retryAfter) };
}

function typeOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { "content-type": "application/json" };
}

/** JSON with whole numbers kept exactly; undefined for any other text. */
function parsed(body: Uint8Array): unknown {
  try {
    return parseExact(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** `Retry-After` in milliseconds; APIs write it as seconds. */
function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) * 1000 : null;
}

/** Why a host is not asked. */
export function notAsked(reason: "refused" | "no_such_name" | "unresolved", host: string): Message {
  const codes = {
    refused: "sourceRefused",
    no_such_name: "sourceNoSuchName",
    unresolved: "sourceUnresolved",
  } as const;
  return message(codes[reason], { host });
}

type Fault = "timeout" | "unreachable" | "certificate" | "broken";

/** Why a host gave no whole answer. */
export function brokenOff(fault: Fault | "too_large", host: string): Message {
  const codes = {
    timeout: "sourceTimeout",
    unreachable: "sourceUnreachable",
    certificate: "sourceCertificate",
    broken: "sourceBroken",
    too_large: "sourceAnswerTooLarge",
  } as const;
  return message(codes[fault], { host });
}
