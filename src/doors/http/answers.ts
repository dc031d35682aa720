import { type AppError, toAppError } from "../../errors.ts";
import { STATUS_OF } from "../../methods/statuses.ts";
import type { Ports } from "../../ports/ports.ts";
import { REQUEST_ID } from "./request-id.ts";

/** Headers by name; a plain object, since that is what a Response takes cheapest. */
export type Headers = Record<string, string>;

const CHALLENGE = 'Bearer realm="kanalog"';
/** Errors whose cause is in the log already. */
const logged = new WeakSet<object>();
/** Seconds after which a caller may try again what the storage could not do. */
const RETRY_AFTER_S = 1;

/** The body of an error (decisions, section 1). */
function errorBody(error: AppError): string {
  return JSON.stringify(error.fields ?? { code: error.code, detail: error.detail });
}

function errorHeaders({ code, retryAfterS }: AppError): Headers {
  switch (code) {
    case "not_authenticated":
    case "authentication_failed":
      return { "www-authenticate": CHALLENGE };
    case "rate_limited":
    case "quota_exceeded":
    case "throttled":
    case "timeout":
    case "unavailable":
      return { "retry-after": String(retryAfterS ?? RETRY_AFTER_S) };
    default:
      return {};
  }
}

export const JSON_TYPE = "application/json; charset=utf-8";

export function json(status: number, body: string, headers: Headers): Response {
  return new Response(body.length > WHOLE_LENGTH_MAX ? streamOf(body) : body, {
    status,
    headers: { "content-type": JSON_TYPE, ...headers },
  });
}

/**
 * What does not fit into its buffer of 16 KiB, head included, Bun writes piece by piece, each name
 * and value of a header by a system call of its own, when the answer comes after a wait: half as many
 * pages of the catalog were answered in a second then. A stream it writes at once. In the length of
 * a text, since a character may take three bytes.
 */
const WHOLE_LENGTH_MAX = 5_000;

function streamOf(body: string): ReadableStream {
  return new ReadableStream({
    type: "direct",
    pull(controller) {
      controller.write(Buffer.from(body));
      controller.close();
    },
  });
}

/** The answer to an error that the caller was to expect. */
export function errorResponse(error: AppError, headers: Headers): Response {
  return json(STATUS_OF[error.code], errorBody(error), { ...headers, ...errorHeaders(error) });
}

/**
 * The answer to whatever was thrown. What nobody foresaw is a fixed sentence; the private cause of
 * it, and of what the storage could not do, goes to the log under the request id.
 */
export function errorAnswer(thrown: unknown, headers: Headers, ports: Ports): Response {
  const error = toAppError(thrown);
  logCause(error, headers, ports);
  return errorResponse(error, headers);
}

/** For an error that was told to the log where it arose. */
export function noteLogged(error: unknown): void {
  if (error instanceof Error) logged.add(error);
}

/** Once an error: all requests of a failed commit share one. */
export function logCause(error: AppError, headers: Headers, { log }: Ports): void {
  if (error.cause === undefined || logged.has(error)) return;
  logged.add(error);
  log.error({ err: error.cause, code: error.code, requestId: headers[REQUEST_ID] }, error.detail);
}
