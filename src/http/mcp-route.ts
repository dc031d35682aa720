import { Elysia } from "elysia";
import { AppError, toAppError } from "../errors.ts";
import type { Caller } from "../keys/keys.ts";
import { rateLimited } from "../limits/limits.ts";
import { callMethod, type Outcome } from "../methods/call.ts";
import type { ApiMethod } from "../methods/method.ts";
import type { RawArguments } from "../methods/read-arguments.ts";
import { STATUS_OF } from "../methods/statuses.ts";
import { errorAnswer, errorResponse, type Headers, json, logCause } from "./answers.ts";
import { readBytes } from "./body.ts";
import { preflight } from "./cors.ts";
import { limitHeaders } from "./limit-headers.ts";
import { commonHeaders, type RestContext, wrongVerb } from "./rest.ts";

/** What the MCP door makes of one POST; a 429 without a body is worded here. */
export type AnswerMcp = (post: {
  body: Uint8Array;
  header(name: string): string | null;
  refusal: AppError | null;
  call(method: ApiMethod, raw: RawArguments): Promise<Outcome>;
}) => Promise<{
  status: number;
  body: string | null;
  outcome: Outcome | null;
  refused?: string | null;
}>;

export interface McpContext extends RestContext {
  answerMcp: AnswerMcp;
}

const PATH = "/v1/mcp/";
/** Under this name, requests that call no tool are in the usage by day. */
const USAGE_METHOD = "mcp";

/**
 * `/v1/mcp/`, with the slash and without: the same key, rate and billing as the API. A request
 * passes in the same order: key, rate, origin, verb, body.
 */
export function mcpRoutes(context: McpContext) {
  const answer = ({ request }: { request: Request }) => answerPost(request, context);
  return new Elysia({ name: "mcp", strictPath: true })
    .all(PATH, answer, { parse: "none" })
    .all(PATH.slice(0, -1), answer, { parse: "none" });
}

async function answerPost(request: Request, context: McpContext): Promise<Response> {
  const { ports } = context;
  const nowMs = ports.clock.now();
  const headers = commonHeaders(request, context);
  const answered = preflight(request, headers, "POST");
  if (answered !== null) return answered;
  try {
    const verification = context.keys.verify(request.headers.get("authorization"), nowMs);
    if (!verification.ok) {
      return errorResponse(new AppError(verification.code, verification.detail), headers);
    }
    return await answerCaller(request, verification.caller, nowMs, headers, context);
  } catch (error) {
    return errorAnswer(error, headers, ports);
  }
}

async function answerCaller(
  request: Request,
  caller: Caller,
  nowMs: number,
  headers: Headers,
  context: McpContext,
): Promise<Response> {
  const { services, ports } = context;
  context.keyUse.note(caller.key, nowMs);
  const rate = services.limits.takeRequest(caller, nowMs);
  const refusal = rate.allowed ? null : rateLimited(rate, caller.plan.requestsPerSecond);

  /** Counts the request, and says on its answer where the caller stands. */
  const end = (status: number, outcome: Outcome | null, method = USAGE_METHOD): void => {
    if (outcome === null) services.limits.record(caller, nowMs, { method, status });
    const used = outcome?.usedAfter ?? null;
    Object.assign(headers, limitHeaders(services.limits.standing(caller, nowMs, rate, used)));
    headers["x-request-cost"] = String(outcome?.units ?? 0);
  };
  const refuse = (error: AppError): Response => {
    end(STATUS_OF[error.code], null);
    return errorResponse(error, headers);
  };

  const foreign = foreignOrigin(request, context);
  if (foreign !== null) return refuse(foreign);
  if (request.method !== "POST") {
    headers["allow"] = "POST";
    return refuse(refusal ?? wrongVerb(request));
  }
  const body = await readBytes(request).catch(toAppError);
  if (body instanceof AppError) return refuse(body);
  const {
    status,
    body: text,
    outcome,
    refused,
  } = await context.answerMcp({
    body,
    header: (name) => request.headers.get(name),
    refusal,
    call: (method, raw) =>
      callMethod(method, raw, {
        services,
        caller,
        nowMs,
        readBody: async () => ({}),
        pageUrl: (query) => `${context.baseAddress(request)}${pathOf(method, raw)}?${query}`,
      }),
  });
  if (text === null && refusal !== null) return refuse(refusal);
  end(refusal === null ? status : STATUS_OF[refusal.code], outcome, refused ?? USAGE_METHOD);
  if (outcome !== null && !outcome.ok) logCause(outcome.error, headers, ports);
  return text === null ? new Response(null, { status, headers }) : json(status, text, headers);
}

/**
 * An assistant in a browser may come from the appliance's own pages and from the hosts that the
 * operator names; a page of any other site must not use a key through its visitor's browser.
 */
function foreignOrigin(request: Request, { baseAddress, config }: McpContext): AppError | null {
  const origin = request.headers.get("origin");
  if (origin === null || origin === new URL(baseAddress(request)).origin) return null;
  const host = URL.canParse(origin) ? new URL(origin).host : "";
  if (host !== "" && config.allowedHosts.includes(host)) return null;
  return new AppError("origin_not_allowed", "Pages of this origin may not use the MCP server.");
}

/** The path of a method's REST route with the values of a call. */
function pathOf({ path }: ApiMethod, raw: RawArguments): string {
  return path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(String(raw[name])));
}
