import type { GetRequest, GetResult } from "../../../ports/network.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { parseExact } from "../../imports/reading/json-rows.ts";
import { contactHost, readSourceAddress, type SourceGuard } from "../source-address.ts";
import type { BotTools } from "./bot-messenger.ts";

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

/** Why a messenger's API gave no usable answer. */
export interface BotFault {
  failure: Message;
  status: number | null;
  /** How long the API asks to wait; null if it does not say. */
  retryAfterMs: number | null;
}

const DESCRIPTION_LENGTH_MAX = 200;

/** A refusal in the messenger's own words. */
export function refused(status: number, description: unknown): Message {
  const text = typeof description === "string" ? description : "";
  const answer = `${status} ${text.slice(0, DESCRIPTION_LENGTH_MAX)}`.trimEnd();
  return message("botRefused", { answer });
}

/** A wait given in seconds in a response body; null if there is none. */
export function waitOf(seconds: unknown): number | null {
  return typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : null;
}

/** Calls a messenger, and again after a fault that may pass by itself. */
export type TryAgain = <Answer extends object>(call: () => Promise<Answer>) => Promise<Answer>;

/** The first wait, which doubles with each further one of a call, up to `WAIT_MAX_MS`. */
const WAIT_FIRST_MS = 1_000;
const WAIT_MAX_MS = 30_000;
/** Sum of a run's waits. A fault that lasts longer ends the run, and the next one waits for it. */
const WAITED_MAX_MS = 60_000;

/** Faults without an error status that may pass: no answer, or not all of one. */
const PASSING: readonly string[] = [
  ...["sourceUnresolved", "sourceUnreachable", "sourceTimeout", "sourceBroken"],
  "botAnswerWrong",
];
const TOO_MANY = 429;
const SERVER_ERROR = 500;

/** For single calls, whose caller waits for the answer. */
export const ONCE: TryAgain = (call) => call();

/** For the calls of a run that may wait. */
export function createTryAgain({ sleep, signal }: Pick<BotTools, "sleep" | "signal">): TryAgain {
  let waitedMs = 0;
  return async (call) => {
    for (let waitMs = WAIT_FIRST_MS; ; waitMs = Math.min(2 * waitMs, WAIT_MAX_MS)) {
      const answer = await call();
      if (!isPassing(answer)) return answer;
      const pauseMs = Math.max(answer.retryAfterMs ?? waitMs, WAIT_FIRST_MS);
      if (waitedMs + pauseMs > WAITED_MAX_MS) return answer;
      waitedMs += pauseMs;
      await sleep(pauseMs);
      if (signal.aborted) return answer;
    }
  };
}

function isPassing(answer: object): answer is BotFault {
  if (!("failure" in answer)) return false;
  const { status, failure } = answer as BotFault;
  const isRefused = status !== null && (status >= SERVER_ERROR || status === TOO_MANY);
  return isRefused || PASSING.includes(failure.code);
}
