import { MCP_PATH, MCP_PATHS, mcpAddress } from "../../customers/keys/connect-snippets.ts";
import { OAUTH_PATHS } from "../../customers/oauth/server-metadata.ts";
import { AppError, toAppError } from "../../errors.ts";
import type { NoteRequest } from "../../upkeep/metrics/note-request.ts";
import { onceEach } from "../../values/kept-briefly.ts";
import { inEnglish, message } from "../../values/messages/messages.ts";
import { takesJson } from "../../values/takes.ts";
import type { Outcome } from "../../verbs/call.ts";
import { type ApiMethod, STATUS_OF } from "../../verbs/method.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";
import { forAnyPage, type Incoming, type Route } from "../front/front.ts";
import {
  type AnswerContext,
  commonHeaders,
  errorResponse,
  type Headers,
  json,
  logCause,
  setLimitHeaders,
  wrongVerb,
} from "./answers.ts";
import { pathOf, requestIdOf } from "./requests/base-address.ts";
import { brokenBound, parseBounded } from "./requests/body.ts";
import { type Answered, answerKeyed, type Keyed, type KeyedContext } from "./rest.ts";

/** A POST's body: its value, undefined if it is invalid JSON; or the limit that it exceeds. */
type ReadBody = { value: unknown } | { bound: string };

type AnswerMcp = (post: {
  body: ReadBody;
  nowMs: number;
  header(name: string): string | null;
  takeMessage(): AppError | null;
  takeCall(): AppError | null | Promise<null>;
  call(method: ApiMethod, raw: RawArguments): Promise<Outcome>;
  tickSnapshot(): Promise<void>;
  refuse(method: ApiMethod | null, denial: AppError): Outcome;
}) => Promise<{
  status: number;
  body: string | null;
  outcome: Outcome | null;
}>;

export interface McpContext extends KeyedContext {
  /** The appliance's address, if assistants may sign in with OAuth; otherwise null. */
  oauthAddress(): string | null;
  answerMcp: AnswerMcp;
}

/** Largest body, the same in both eras of the protocol. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Longest body to read before the key is checked: it comes with the request's head. */
const EARLY_BYTES_MAX = 8 * 1024;
/** Name under which daily usage and metrics count requests that call no tool. */
const USAGE_METHOD = "mcp";

/**
 * `/v1/mcp/` and its other spellings: the same keys and billing as the API. Checks run in this order: key,
 * verb, body, and then the rate, because only the body shows which of the two rates applies. Pages of any
 * site may ask, because the key alone counts, which a visitor's browser does not add by itself.
 */
export function mcpRoutes(context: McpContext): Route[] {
  const note = onceEach((operation: string) => context.noteRequests("mcp", operation));
  const mcp: Noting = { ...context, note };
  const takes = takesJson(BODY_BYTES_MAX);
  const answer = forAnyPage(requestIdIn(context), (incoming) => answerPost(incoming, mcp));
  return MCP_PATHS.flatMap((path): Route[] => [
    // The key is checked first.
    { verb: "POST", path, takes, refusesBody: true, answer },
    { verb: "ALL", path, answer },
  ]);
}

/** Tells a client that was given the appliance's bare address where the MCP server is. */
export function rootRoute(context: AnswerContext & Pick<McpContext, "baseAddress">): Route {
  const answer = forAnyPage(requestIdIn(context), ({ request }) => {
    const address = mcpAddress(context.baseAddress(request));
    const error = new AppError("method_not_allowed", message("mcpIsElsewhere", { address }));
    return errorResponse(error, { ...commonHeaders(request, context), allow: "GET, HEAD" });
  });
  return { verb: "POST", path: "/", refusesBody: true, answer };
}

const requestIdIn =
  ({ ports }: AnswerContext) =>
  (request: Request): string =>
    requestIdOf(request, ports.random, ports.clock);

/** The context, and recorders of requests by tool, each created on the tool's first call. */
interface Noting extends McpContext {
  note(operation: string): NoteRequest;
}

async function answerPost(incoming: Incoming, context: Noting): Promise<Response> {
  const { request } = incoming;
  // Read before the key is checked, so that key and data are read in the snapshot of one tick.
  const isShort = request.method === "POST" && incoming.body.isShort(EARLY_BYTES_MAX);
  const bytes = isShort ? await incoming.body.bytes().catch(toAppError) : null;
  const read = bytes instanceof Uint8Array ? await readMessageBody(bytes, context) : null;
  const withoutTool = (response: Response): Answered => {
    const [note, { status }] = [context.note(USAGE_METHOD), response];
    return { response, note, url: MCP_PATH, status, units: 0, error: null, waitedMs: 0 };
  };
  return answerKeyed(
    request,
    context,
    async (keyed) => {
      if (read !== null) return answerMessage(request, read, keyed, context);
      const { admitted, headers } = keyed;
      const bytes = await readPost(incoming, headers);
      if (!(bytes instanceof AppError)) {
        const body = await readMessageBody(bytes, context);
        await context.tickSnapshot();
        return answerMessage(request, body, keyed, context);
      }
      setLimitHeaders(headers, admitted.limitsAfter(admitted.refuse(USAGE_METHOD, bytes)));
      return withoutTool(errorResponse(bytes, headers));
    },
    (response) => withoutTool(challenged(request, response, context)),
  );
}

/** Tells assistants that only know the address where to sign in (RFC 9728, section 5.1). */
function challenged(request: Request, response: Response, { oauthAddress }: McpContext): Response {
  const address = oauthAddress();
  const challenge = response.headers.get("www-authenticate");
  if (address !== null && challenge !== null) {
    const metadata = `resource_metadata="${address}${OAUTH_PATHS.resourceMetadata}${pathOf(request)}"`;
    response.headers.set("www-authenticate", `${challenge}, ${metadata}`);
  }
  return response;
}

/** The body of a POST, or the reason why it is not read. */
async function readPost(
  { request, body }: Incoming,
  headers: Headers,
): Promise<Uint8Array | AppError> {
  if (request.method !== "POST") {
    headers["allow"] = "POST";
    return wrongVerb(request);
  }
  return body.bytes().catch(toAppError);
}

async function answerMessage(
  request: Request,
  body: ReadBody,
  { admitted, headers, nowMs }: Keyed,
  context: Noting,
): Promise<Answered> {
  let operation = USAGE_METHOD;
  let waitedMs = 0;
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
        // The snapshot of the tick in which the request arrived has ended by now.
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
        nextPage: (opened) => context.services.cursors.writeShort(method, opened),
      });
    },
    tickSnapshot: context.tickSnapshot,
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
    note: context.note(operation),
    url: operation === USAGE_METHOD ? MCP_PATH : `${MCP_PATH} ${operation}`,
    status: statusOfUsage,
    units: outcome?.units ?? 0,
    error: outcome === null || outcome.ok ? null : outcome.error,
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
