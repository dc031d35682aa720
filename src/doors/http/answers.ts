import { createGzip } from "node:zlib";
import { partStream } from "../../catalog/exports/export-part.ts";
import type { Config } from "../../config.ts";
import type { Plan } from "../../customers/accounts/accounts.table.ts";
import { PERIOD_DAYS } from "../../customers/accounts/plan.ts";
import { AppError, toAppError } from "../../errors.ts";
import type { Ports } from "../../ports/ports.ts";
import { type Json, JsonBytes, jsonTextOf } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import { acceptsGzip } from "../../values/packed-bytes.ts";
import type { Admitted } from "../../verbs/admission.ts";
import { type FileAnswer, STATUS_OF } from "../../verbs/method.ts";
import type { BaseAddress } from "./requests/base-address.ts";
import { pathOf, queryOf, REQUEST_ID, requestIdOf } from "./requests/base-address.ts";

const EXPOSED =
  "X-Request-Id, X-Request-Cost, RateLimit, RateLimit-Policy, Retry-After, X-Export-Cursor";
const ALLOWED_HEADERS =
  "Authorization, Content-Type, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name";
const PREFLIGHT_AGE_S = 600;

/** Headers that allow a page of a permitted origin to read the answer; just `Vary` for other origins. */
function corsHeaders(request: Request, origins: readonly string[]): Headers {
  const origin = request.headers.get("origin");
  if (origin === null || !origins.includes(origin)) return { vary: "Origin" };
  return {
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": EXPOSED,
  };
}

/**
 * Answers a preflight from an allowed origin; otherwise null. Preflights carry no key, so this comes before
 * admission.
 * @param headers carried by every answer to this request
 */
export function preflight(
  request: Request,
  headers: () => Headers,
  verbs: string,
): Response | null {
  if (request.method !== "OPTIONS") return null;
  if (!request.headers.has("access-control-request-method")) return null;
  const common = headers();
  if (!("access-control-allow-origin" in common)) return null;
  return new Response(null, {
    status: 204,
    headers: {
      ...common,
      "access-control-allow-methods": verbs,
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-max-age": String(PREFLIGHT_AGE_S),
    },
  });
}

/** Headers by name. A plain object, because a Response accepts that most cheaply. */
export type Headers = Record<string, string>;

export interface AnswerContext {
  config: Config;
  ports: Ports;
}

/** Headers of every answer: the request id, and CORS headers if origins are configured. */
export function commonHeaders(request: Request, { ports, config }: AnswerContext): Headers {
  const headers: Headers = { [REQUEST_ID]: requestIdOf(request, ports.random, ports.clock) };
  const origins = config.corsOrigins;
  return origins.length === 0 ? headers : Object.assign(headers, corsHeaders(request, origins));
}

/** Redirects to a path as the client sees it: a proxy may have removed a prefix. */
export function redirectTo(
  request: Request,
  context: AnswerContext & { baseAddress: BaseAddress },
  path: string,
): Response {
  const prefix = new URL(context.baseAddress(request)).pathname.replace(/\/$/, "");
  return new Response(null, {
    status: 301,
    headers: { ...commonHeaders(request, context), location: prefix + path },
  });
}

export function redirectToSlash(
  request: Request,
  context: AnswerContext & { baseAddress: BaseAddress },
): Response {
  return redirectTo(request, context, `${pathOf(request)}/${queryOf(request)}`);
}

export function wrongVerb(request: Request): AppError {
  return new AppError("method_not_allowed", message("methodNotAllowed", { verb: request.method }));
}

const CHALLENGE = 'Bearer realm="kanalog"';
/** Errors whose cause has already been logged. */
const logged = new WeakSet<object>();
/** Seconds in `Retry-After` for an error that names none, such as a busy storage. */
const RETRY_AFTER_S = 1;

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
    case "in_progress":
      return { "retry-after": String(retryAfterS ?? RETRY_AFTER_S) };
    default:
      return {};
  }
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** Answers with JSON: a text, a value, or bytes as SQLite gave them. */
export function json(status: number, body: Json<unknown>, headers: Headers): Response {
  const init = { status, headers: { "content-type": JSON_TYPE, ...headers } };
  if (body instanceof JsonBytes && body.bytes.length > WHOLE_LENGTH_MAX) {
    return new Response(streamOf(body.before, body.bytes, body.after), init);
  }
  const text = jsonTextOf(body);
  return new Response(text.length > WHOLE_LENGTH_MAX ? streamOf(text) : text, init);
}

/**
 * Longest body passed to Bun in one piece; longer ones become streams. If an answer is delayed and does not
 * fit into Bun's buffer of 16 KiB including its head, Bun writes it in pieces, with one system call for
 * every header name and value, which halved the number of catalog pages per second. A stream is written at
 * once. Counted in characters of up to three bytes each.
 */
const WHOLE_LENGTH_MAX = 5_000;

function streamOf(...parts: (string | Buffer)[]): ReadableStream {
  return new ReadableStream({
    type: "direct",
    pull(controller) {
      for (const part of parts) controller.write(part);
      controller.close();
    },
  });
}

/**
 * Answers an expected error, which is therefore not logged: messages by field, or else a code and a
 * sentence.
 */
export function errorResponse(error: AppError, headers: Headers): Response {
  const { code, detail, fields } = error;
  return json(STATUS_OF[code], fields ?? { code, detail }, { ...headers, ...errorHeaders(error) });
}

/**
 * Answers anything thrown. An unexpected error gets a fixed sentence; its private cause, like that of a
 * storage fault, is logged under the request id.
 */
export function errorAnswer(thrown: unknown, headers: Headers, ports: Ports): Response {
  const error = toAppError(thrown);
  logCause(error, headers, ports);
  return errorResponse(error, headers);
}

/** Marks an error whose cause was logged where it occurred. */
export function noteLogged(error: unknown): void {
  if (error instanceof Error) logged.add(error);
}

/** Logs an error's cause once, because all requests of a failed commit share one error. */
export function logCause(error: AppError, headers: Headers, { log }: Ports): void {
  if (error.cause === undefined || logged.has(error)) return;
  logged.add(error);
  log.error({ err: error.cause, code: error.code, requestId: headers[REQUEST_ID] }, error.detail);
}

const PERIOD_S = PERIOD_DAYS * 24 * 60 * 60;

/** Policy headers, formatted once per plan object. */
const policies = new WeakMap<Plan, string>();

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers. */
export function setLimitHeaders(
  headers: Headers,
  limits: ReturnType<Admitted["limitsAfter"]>,
): void {
  const { plan, rate, quota, cost } = limits;
  headers["ratelimit-policy"] = policyOf(plan);
  headers["ratelimit"] =
    `"rate";r=${rate.remaining};t=${rate.resetS}, "quota";r=${quota.remaining};t=${quota.resetS}`;
  headers["x-request-cost"] = String(cost);
}

function policyOf(plan: Plan): string {
  const cached = policies.get(plan);
  if (cached !== undefined) return cached;
  const { requestsPerSecond, requestsPerPeriod } = plan;
  const policy = `"rate";q=${requestsPerSecond};w=1, "quota";q=${requestsPerPeriod};w=${PERIOD_S}`;
  policies.set(plan, policy);
  return policy;
}

/** An answer that is produced as fast as the client reads it, compressed if the client accepts that. */
export function fileResponse(
  request: Request,
  { type, headers: own, file }: FileAnswer,
  headers: Headers,
): Response {
  const isPacked = acceptsGzip(request.headers);
  const all = {
    ...headers,
    ...own,
    "content-type": type,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    // Asks nginx not to read ahead of the client, which pays for what is sent.
    "x-accel-buffering": "no",
    vary: [headers["vary"], "Accept-Encoding"].filter((name) => name !== undefined).join(", "),
    ...(isPacked && { "content-encoding": "gzip" }),
  };
  if (request.method === "HEAD") {
    file.close();
    return new Response(null, { headers: all });
  }
  const parts = isPacked ? packed(file.parts) : file.parts;
  return new Response(partStream(parts, file.close), { headers: all });
}

/**
 * Compresses the parts as one stream. Each part is flushed separately: what has been paid for is sent
 * before the next one is read, and nothing accumulates in between.
 */
async function* packed(parts: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  const gzip = createGzip({ level: 3 });
  let out: Uint8Array[] = [];
  gzip.on("data", (chunk: Uint8Array) => out.push(chunk));
  const takeOutput = (): Uint8Array => {
    const whole = Buffer.concat(out);
    out = [];
    return whole;
  };
  try {
    for await (const part of parts) {
      gzip.write(part);
      await new Promise<void>((resolve) => gzip.flush(resolve));
      yield takeOutput();
    }
    const ended = new Promise((resolve) => gzip.once("end", resolve));
    gzip.end();
    await ended;
    yield takeOutput();
  } finally {
    gzip.destroy();
  }
}
