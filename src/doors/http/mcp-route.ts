import { Elysia } from "elysia";
import type { Caller } from "../../customers/keys/keys.ts";
import { rateLimited } from "../../customers/limits/limits.ts";
import { AppError, toAppError } from "../../errors.ts";
import { callMethod, type Outcome } from "../../methods/call.ts";
import type { ApiMethod } from "../../methods/method.ts";
import type { RawArguments } from "../../methods/read-arguments.ts";
import { STATUS_OF } from "../../methods/statuses.ts";
import { type NoteRequest, OTHER } from "../../upkeep/metrics/note-request.ts";
import { errorAnswer, errorResponse, type Headers, json, logCause } from "./answers.ts";
import { parseBounded, readBytes } from "./body.ts";
import { preflight } from "./cors.ts";
import { brokenBound } from "./json-bounds.ts";
import { setLimitHeaders } from "./limit-headers.ts";
import { REQUEST_ID } from "./request-id.ts";
import { commonHeaders, type RestContext, wrongVerb } from "./rest.ts";

/** The body of a POST: its value, undefined where it is not JSON; or the bound that it breaks. */
export type ReadBody = { value: unknown } | { bound: string };

/** What the MCP door makes of one POST; a 429 without a body is worded here. */
export type AnswerMcp = (post: {
  body: ReadBody;
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
/** mcp.md, both eras. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Under this name, requests that call no tool are in the usage by day. */
const USAGE_METHOD = "mcp";

/**
 * `/v1/mcp/`, with the slash and without: the same key, rate and billing as the API. A request
 * passes in the same order: key, rate, origin, verb, body.
 */
export function mcpRoutes(context: McpContext) {
  const note = noteOf(context);
  const answer = ({ request }: { request: Request }) => answerPost(request, context, note);
  return new Elysia({ name: "mcp", strictPath: true })
    .all(PATH, answer, { parse: "none" })
    .all(PATH.slice(0, -1), answer, { parse: "none" });
}

/** Notes requests by tool; under the name of usage those that call none. */
function noteOf({ noteRequests }: McpContext): (operation: string) => NoteRequest {
  const notes = new Map<string, NoteRequest>();
  return (operation) => {
    const known = notes.get(operation);
    if (known !== undefined) return known;
    const note = noteRequests("mcp", operation);
    notes.set(operation, note);
    return note;
  };
}

/** What came of one POST, and what is noted of it. */
interface Answered {
  response: Response;
  /** Operation id of the tool that was called, else the name of usage. */
  operation: string;
  /** Of the tool's outcome: over HTTP that is a 200, too. */
  status: number;
}

async function answerPost(
  request: Request,
  context: McpContext,
  note: (operation: string) => NoteRequest,
): Promise<Response> {
  const { ports } = context;
  await context.readTurn();
  const startedMs = ports.clock.monotonic();
  const nowMs = ports.clock.now();
  const headers = commonHeaders(request, context);
  const requestId = headers[REQUEST_ID] ?? "";
  const granted = preflight(request, headers, "POST");
  if (granted !== null) {
    note(OTHER)(granted.status, startedMs, requestId, null);
    return granted;
  }
  let caller: Caller | null = null;
  let answered: Answered;
  try {
    const verification = context.keys.verify(request.headers.get("authorization"), nowMs);
    if (verification.ok) {
      caller = verification.caller;
      answered = await answerCaller(request, caller, nowMs, headers, context);
    } else {
      const error = new AppError(verification.code, verification.detail);
      answered = withoutTool(errorResponse(error, headers));
    }
  } catch (error) {
    answered = withoutTool(errorAnswer(error, headers, ports));
  }
  const { response, operation, status } = answered;
  note(operation)(status, startedMs, requestId, caller);
  return response;
}

function withoutTool(response: Response): Answered {
  return { response, operation: USAGE_METHOD, status: response.status };
}

async function answerCaller(
  request: Request,
  caller: Caller,
  nowMs: number,
  headers: Headers,
  context: McpContext,
): Promise<Answered> {
  const { services, ports } = context;
  context.keyUse.note(caller.key, nowMs);
  const rate = services.limits.takeRequest(caller, nowMs);
  const refusal = rate.allowed ? null : rateLimited(rate, caller.plan.requestsPerSecond);

  /** Counts the request, and says on its answer where the caller stands. */
  const end = (status: number, outcome: Outcome | null, method = USAGE_METHOD): void => {
    if (outcome === null) services.limits.record(caller, nowMs, { method, status });
    const used = outcome?.usedAfter ?? null;
    setLimitHeaders(headers, services.limits.standing(caller, nowMs, rate, used));
    headers["x-request-cost"] = String(outcome?.units ?? 0);
  };
  const refuse = (error: AppError): Answered => {
    end(STATUS_OF[error.code], null);
    return withoutTool(errorResponse(error, headers));
  };

  const foreign = foreignOrigin(request, context);
  if (foreign !== null) return refuse(foreign);
  if (request.method !== "POST") {
    headers["allow"] = "POST";
    return refuse(refusal ?? wrongVerb(request));
  }
  const bytes = await readBytes(request, BODY_BYTES_MAX, context.bodies).catch(toAppError);
  if (bytes instanceof AppError) return refuse(bytes);
  const body = await readMessageBody(bytes, context);
  let called: string | null = null;
  await context.readTurn();
  const {
    status,
    body: text,
    outcome,
    refused,
  } = await context.answerMcp({
    body,
    header: (name) => request.headers.get(name),
    refusal,
    call: (method, raw) => {
      called = method.operationId;
      return callMethod(method, raw, {
        services,
        caller,
        nowMs,
        readBody: async () => ({}),
        ownUrl: (path) => context.baseAddress(request) + path,
        pageUrl: (query) => `${context.baseAddress(request)}${pathOf(method, raw)}?${query}`,
      });
    },
  });
  if (text === null && refusal !== null) return refuse(refusal);
  const statusOfUsage = refusal === null ? status : STATUS_OF[refusal.code];
  end(statusOfUsage, outcome, refused ?? USAGE_METHOD);
  if (outcome !== null && !outcome.ok) logCause(outcome.error, headers, ports);
  return {
    response: text === null ? new Response(null, { status, headers }) : json(status, text, headers),
    operation: called ?? refused ?? USAGE_METHOD,
    status: outcome === null ? statusOfUsage : statusOf(outcome),
  };
}

async function readMessageBody(bytes: Uint8Array, { bodies }: McpContext): Promise<ReadBody> {
  const bound = brokenBound(bytes);
  return bound === null ? { value: await parseBounded(bytes, bodies) } : { bound };
}

function statusOf(outcome: Outcome): number {
  return outcome.ok ? outcome.status : STATUS_OF[outcome.error.code];
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
