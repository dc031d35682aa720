import { Elysia } from "elysia";
import { MCP_PATH } from "../../customers/keys/connect-snippets.ts";
import type { Caller } from "../../customers/keys/keys.ts";
import { OAUTH_PATHS } from "../../customers/oauth/server-metadata.ts";
import { AppError, toAppError } from "../../errors.ts";
import { type Admitted, admit, admitByNewest } from "../../methods/admission.ts";
import type { Outcome } from "../../methods/call.ts";
import type { ApiMethod } from "../../methods/method.ts";
import type { RawArguments } from "../../methods/read-arguments.ts";
import { STATUS_OF } from "../../methods/statuses.ts";
import { type NoteRequest, OTHER } from "../../upkeep/metrics/note-request.ts";
import { inEnglish, message } from "../../values/messages/messages.ts";
import { errorAnswer, errorResponse, type Headers, json, logCause } from "./answers.ts";
import { preflight } from "./cors.ts";
import { setLimitHeaders } from "./limit-headers.ts";
import { parseBounded, readBytes } from "./requests/body.ts";
import { brokenBound } from "./requests/json-bounds.ts";
import { REQUEST_ID } from "./requests/request-id.ts";
import { commonHeaders, type RestContext, wrongVerb } from "./rest.ts";

/** The body of a POST: its value, undefined where it is not JSON; or the bound that it breaks. */
type ReadBody = { value: unknown } | { bound: string };

/** The MCP door's answer to one POST. */
type AnswerMcp = (post: {
  body: ReadBody;
  nowMs: number;
  header(name: string): string | null;
  takeMessage(): AppError | null;
  takeCall(): AppError | null | Promise<null>;
  call(method: ApiMethod, raw: RawArguments): Promise<Outcome>;
  refuse(method: ApiMethod | null, denial: AppError): Outcome;
}) => Promise<{
  status: number;
  body: string | null;
  outcome: Outcome | null;
}>;

export interface McpContext extends RestContext {
  /** The appliance's address where assistants may sign in by OAuth; null where that is off. */
  oauthAddress(): string | null;
  answerMcp: AnswerMcp;
}

/** Largest body, the same in both eras of the protocol. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Counts requests that call no tool, in the usage by day and in the metrics. */
const USAGE_METHOD = "mcp";

/**
 * `/v1/mcp/`, with the slash and without: the same key and billing as the API. A request passes in this
 * order: key, origin, verb, body, and then its rate, since only the body says which of the two it is.
 */
export function mcpRoutes(context: McpContext) {
  const note = noteOf(context);
  const answer = ({ request }: { request: Request }) => answerPost(request, context, note);
  return new Elysia({ name: "mcp", strictPath: true })
    .all(MCP_PATH, answer, { parse: "none" })
    .all(MCP_PATH.slice(0, -1), answer, { parse: "none" });
}

/** The notes of requests by tool, made when one is first called. */
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

/** The answer to one POST, and what is noted of it. */
interface Answered {
  response: Response;
  /** Operation id of the tool that was called, else `USAGE_METHOD`. */
  operation: string;
  /** Status of the tool's outcome, also where the HTTP answer is a 200. */
  status: number;
  units: number;
  /** Milliseconds for which the call waited for the plan's rate. */
  waitedMs: number;
}

async function answerPost(
  request: Request,
  context: McpContext,
  note: (operation: string) => NoteRequest,
): Promise<Response> {
  const { ports } = context;
  await context.tickSnapshot();
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
    const authorization = request.headers.get("authorization");
    const judged = admit(authorization, nowMs, context);
    const admission = judged.ok
      ? judged
      : await admitByNewest(judged, authorization, nowMs, context);
    if (admission.ok) {
      caller = admission.caller;
      answered = await answerAdmitted(request, admission, headers, nowMs, context);
    } else {
      answered = withoutTool(challenged(errorResponse(admission.error, headers), context));
    }
  } catch (error) {
    answered = withoutTool(errorAnswer(error, headers, ports));
  }
  const { response, operation, status, units, waitedMs } = answered;
  // A call that waits for its plan's rate is not a slow one.
  note(operation)(status, startedMs + waitedMs, requestId, caller);
  if (caller !== null) {
    const url = operation === USAGE_METHOD ? MCP_PATH : `${MCP_PATH} ${operation}`;
    const durationMs = ports.clock.monotonic() - startedMs - waitedMs;
    const logged = { at: nowMs, verb: request.method, url, status, durationMs, units };
    context.noteAnswer(caller.key.id, logged);
  }
  return response;
}

/** The 401 tells assistants that take only an address where to sign in (RFC 9728, section 5.1). */
function challenged(response: Response, { oauthAddress }: McpContext): Response {
  const address = oauthAddress();
  const challenge = response.headers.get("www-authenticate");
  if (address !== null && challenge !== null) {
    const metadata = `resource_metadata="${address}${OAUTH_PATHS.resourceMetadata}"`;
    response.headers.set("www-authenticate", `${challenge}, ${metadata}`);
  }
  return response;
}

function withoutTool(response: Response): Answered {
  return { response, operation: USAGE_METHOD, status: response.status, units: 0, waitedMs: 0 };
}

async function answerAdmitted(
  request: Request,
  admitted: Admitted,
  headers: Headers,
  nowMs: number,
  context: McpContext,
): Promise<Answered> {
  const refuse = (error: AppError): Answered => {
    setLimitHeaders(headers, admitted.limitsAfter(admitted.refuse(USAGE_METHOD, error)));
    return withoutTool(errorResponse(error, headers));
  };

  const foreign = foreignOrigin(request, context);
  if (foreign !== null) return refuse(foreign);
  if (request.method !== "POST") {
    headers["allow"] = "POST";
    return refuse(wrongVerb(request));
  }
  const bytes = await readBytes(request, BODY_BYTES_MAX, context.bodies).catch(toAppError);
  if (bytes instanceof AppError) return refuse(bytes);
  const body = await readMessageBody(bytes, context);
  let operation = USAGE_METHOD;
  let waitedMs = 0;
  await context.tickSnapshot();
  const {
    status,
    body: text,
    outcome,
  } = await context.answerMcp({
    body,
    nowMs,
    header: (name) => request.headers.get(name),
    takeMessage() {
      const denial = admitted.takeMessage();
      if (denial !== null) headers["retry-after"] = String(denial.retryAfterS);
      return denial;
    },
    takeCall() {
      const taken = admitted.takeRequestSoon();
      if (!(taken instanceof Promise)) return taken;
      const { monotonic } = context.ports.clock;
      const fromMs = monotonic();
      return taken.then(async () => {
        // The snapshot of the turn in which it came is given back by now.
        await context.tickSnapshot();
        waitedMs = monotonic() - fromMs;
        return null;
      });
    },
    call(method, raw) {
      operation = method.operationId;
      return admitted.call(method, raw, {
        readBody: async () => ({}),
        ownUrl: (path) => context.baseAddress(request) + path,
        pageUrl: (query, of) => `${context.baseAddress(request)}${pathOf(method, of)}?${query}`,
      });
    },
    refuse(method, error) {
      operation = method?.operationId ?? USAGE_METHOD;
      return admitted.refuse(operation, error);
    },
  });
  const statusOfUsage = outcome === null ? status : statusOf(outcome);
  if (outcome === null) admitted.record(operation, statusOfUsage);
  else if (!outcome.ok) logCause(outcome.error, headers, context.ports);
  setLimitHeaders(headers, admitted.limitsAfter(outcome));
  return {
    response: text === null ? new Response(null, { status, headers }) : json(status, text, headers),
    operation,
    status: statusOfUsage,
    units: outcome?.units ?? 0,
    waitedMs,
  };
}

async function readMessageBody(bytes: Uint8Array, { bodies }: McpContext): Promise<ReadBody> {
  const bound = brokenBound(bytes);
  return bound === null
    ? { value: await parseBounded(bytes, bodies) }
    : { bound: inEnglish(bound) };
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
  return new AppError("origin_not_allowed", message("originNotAllowed"));
}

/** The path of a method's REST route with the values of a call. */
function pathOf({ path }: ApiMethod, raw: RawArguments): string {
  return path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(String(raw[name])));
}
