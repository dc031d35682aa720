import type { GetRequest, GetResult } from "../../ports/network.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { parseExact } from "../imports/reading/exact-number.ts";
import { contactHost } from "./contact-host.ts";
import { readSourceAddress, type SourceGuard } from "./source-address.ts";

/** A request to a messenger's API: a GET unless stated otherwise. */
interface ApiRequest {
  method?: "POST" | "DELETE";
  /** JSON text. */
  body?: string;
  /** An address that `readSourceAddress` accepts. */
  url: string;
  /** In addition to the usual ones. */
  headers?: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * A response: its status, and its body if that is JSON, or undefined. Integers beyond 2^53 are bigints.
 * `retryAfterMs` is null unless the `Retry-After` header gives seconds.
 */
export type ApiAnswer =
  | { status: number; json: unknown; retryAfterMs: number | null }
  | { failure: Message };

export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>;

/** Longest response to read (sources, section 1). */
const ANSWER_BYTES_MAX = 10_000_000;

/**
 * Sends a request to a messenger's API. The URL may contain the token, so messages only name its host.
 * Redirects are not followed: their status is returned.
 */
export async function callApi(
  { guard, get }: { guard: SourceGuard; get(request: GetRequest): Promise<GetResult> },
  { url, headers = {}, timeoutMs, signal, method, body }: ApiRequest,
): Promise<ApiAnswer> {
  const read = readSourceAddress(url);
  if ("fault" in read) return { failure: read.fault };
  const { host } = read.value.target;
  const answer = await contactHost<Exclude<GetResult, { fault: unknown }>>(
    guard,
    read.value,
    (to) =>
      get({
        ...to,
        timeoutMs,
        signal,
        bytesMax: ANSWER_BYTES_MAX,
        headers: {
          accept: "application/json",
          "user-agent": "Kanalog/1",
          ...headers,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(method !== undefined && { method }),
        ...(body !== undefined && { body }),
      }),
    message("sourceAnswerTooLarge", { host }),
  );
  if ("failure" in answer) return answer;
  const { status, retryAfter } = answer;
  return { status, json: parsed(answer.body), retryAfterMs: secondsOf(retryAfter) };
}

function parsed(body: Uint8Array): unknown {
  try {
    return parseExact(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** `Retry-After` in milliseconds; these APIs send seconds. */
function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) * 1000 : null;
}
