import { Elysia } from "elysia";
import { EXPORT_SILENCE_MAX_S } from "../../catalog/exports/bulk.ts";
import type { Config } from "../../config.ts";
import type { Caller } from "../../customers/keys/keys.ts";
import type { AnsweredRequest } from "../../customers/limits/request-log.ts";
import { AppError } from "../../errors.ts";
import { admit, admitByNewest, type Gate } from "../../methods/admission.ts";
import type { Outcome } from "../../methods/call.ts";
import { type ApiMethod, FileAnswer } from "../../methods/method.ts";
import { type RawArguments, UNDECODABLE } from "../../methods/read-arguments.ts";
import type { Ports } from "../../ports/ports.ts";
import {
  type NoteRequest,
  type NoteRequests,
  noted,
  OTHER,
} from "../../upkeep/metrics/note-request.ts";
import { message } from "../../values/messages/messages.ts";
import { errorAnswer, errorResponse, type Headers, jsonOf } from "./answers.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { fileResponse } from "./file-response.ts";
import { setLimitHeaders } from "./limit-headers.ts";
import type { BaseAddress } from "./requests/base-address.ts";
import { type Bodies, readJsonBody } from "./requests/body.ts";
import { readQuery } from "./requests/query.ts";
import { REQUEST_ID, requestIdOf } from "./requests/request-id.ts";

export interface RestContext extends Gate {
  config: Config;
  ports: Ports;
  baseAddress: BaseAddress;
  noteRequests: NoteRequests;
  bodies: Bodies;
  /** Notes a request with a good key: for its owner's log, and for staff's hours. */
  noteAnswer(keyId: number, answered: AnsweredRequest): void;
  /** Lets the connection of a request be silent for so long. */
  giveTime(request: Request, silenceMaxS: number): void;
  /** Everything read before the next `await` sees one snapshot, taken after this call. */
  tickSnapshot(): Promise<void>;
}

/** Request and path parameters that Elysia hands to a handler. */
interface Incoming {
  request: Request;
  params: Record<string, string | null>;
}

/** A method, and what notes its requests. */
interface Route {
  method: ApiMethod;
  note: NoteRequest;
}

/** The body is not parsed, since nothing is read before the key is checked. */
const UNPARSED = { parse: "none" } as const;

/**
 * The REST routes, all read off the methods' declarations. A request passes, in the contract's
 * order: route, key, rate, verb, then the method itself.
 */
export function restRoutes(methods: readonly ApiMethod[], context: RestContext) {
  const routes = new Elysia({ name: "rest", strictPath: true });
  for (const [path, ofPath] of Map.groupBy(methods, (method) => method.path)) {
    addRoutes(routes, path, ofPath, context);
  }
  return routes;
}

/** The routes of one path: its methods by verb, redirects to its slash, and refusals. */
function addRoutes(
  routes: Elysia,
  path: string,
  methods: readonly ApiMethod[],
  context: RestContext,
): void {
  const { noteRequests } = context;
  const { monotonic } = context.ports.clock;
  const ofPath = methods.map((method): Route => {
    return { method, note: noteRequests("rest", method.operationId) };
  });
  const [first] = ofPath as [Route];
  const withoutSlash = path.slice(0, -1);
  const allowed = methods
    .flatMap(({ verb }) => (verb === "GET" ? ["GET", "HEAD"] : verb))
    .join(", ");

  for (const route of ofPath) {
    const { method } = route;
    // Elysia reads a handler's parameters: it parses no cookies for one that names others.
    const answer = ({ request, params }: Incoming) =>
      answerCall(route, { request, params }, context);
    routes.route(method.verb, path, answer, UNPARSED);
    if (method.verb === "GET") routes.route("HEAD", path, answer, UNPARSED);
    else routes.route(method.verb, withoutSlash, answer, UNPARSED);
  }
  const noteOther = noteRequests("rest", OTHER);
  const redirect = noted(noteOther, monotonic, ({ request }: Incoming) =>
    redirectToSlash(request, context),
  );
  routes.get(withoutSlash, redirect, UNPARSED).head(withoutSlash, redirect, UNPARSED);

  const grant = noted(noteOther, monotonic, (granted: Response) => granted);
  const other = ({ request, params }: Incoming) => {
    const granted = preflight(request, commonHeaders(request, context), allowed);
    return granted === null
      ? answerCall(first, { request, params }, context, allowed)
      : grant(granted);
  };
  routes.all(path, other, UNPARSED).all(withoutSlash, other, UNPARSED);
}

/** @param allowed set where the path does not take the request's verb: the ones that it takes */
async function answerCall(
  { method, note }: Route,
  { request, params }: Incoming,
  context: RestContext,
  allowed?: string,
): Promise<Response> {
  const { ports } = context;
  await context.tickSnapshot();
  const startedMs = ports.clock.monotonic();
  const nowMs = ports.clock.now();
  const headers = commonHeaders(request, context);
  let caller: Caller | null = null;
  let units = 0;
  let response: Response;
  try {
    const authorization = request.headers.get("authorization");
    const judged = admit(authorization, nowMs, context);
    const admission = judged.ok
      ? judged
      : await admitByNewest(judged, authorization, nowMs, context);
    if (admission.ok) {
      caller = admission.caller;
      if (allowed !== undefined) headers["allow"] = allowed;
      const denial = admission.takeRequest() ?? (allowed === undefined ? null : wrongVerb(request));
      const outcome =
        denial === null
          ? await admission.call(method, readRaw(request, params), {
              readBody: () => readJsonBody(request, method.bodyBytesMax, context.bodies),
              ownUrl: (path) => context.baseAddress(request) + path,
              pageUrl: (query) => `${context.baseAddress(request)}${pathOf(request)}?${query}`,
            })
          : admission.refuse(method.operationId, denial);
      setLimitHeaders(headers, admission.limitsAfter(outcome));
      ({ units } = outcome);
      response = outcome.ok
        ? successResponse(request, outcome, headers, context)
        : errorAnswer(outcome.error, headers, ports);
    } else {
      response = errorResponse(admission.error, headers);
    }
  } catch (error) {
    response = errorAnswer(error, headers, ports);
  }
  const { status } = response;
  note(status, startedMs, headers[REQUEST_ID] ?? "", caller);
  if (caller !== null) {
    const { method: verb, url } = request;
    const durationMs = ports.clock.monotonic() - startedMs;
    context.noteAnswer(caller.key.id, { at: nowMs, verb, url, status, durationMs, units });
  }
  return response;
}

/** The arguments of query and path; Elysia gives null for a part of the path that is not UTF-8. */
function readRaw({ url }: Request, params: Incoming["params"]): RawArguments {
  const raw = readQuery(url);
  for (const name in params) raw[name] = params[name] ?? UNDECODABLE;
  return raw;
}

function successResponse(
  request: Request,
  { status, body }: Outcome & { ok: true },
  headers: Headers,
  { giveTime }: RestContext,
): Response {
  if (body instanceof FileAnswer) {
    giveTime(request, EXPORT_SILENCE_MAX_S);
    return fileResponse(request, body, headers);
  }
  return status === 204 ? new Response(null, { status, headers }) : jsonOf(status, body, headers);
}

export function wrongVerb(request: Request): AppError {
  return new AppError("method_not_allowed", message("methodNotAllowed", { verb: request.method }));
}

/** Headers of every answer. */
export function commonHeaders(
  request: Request,
  { ports, config }: Pick<RestContext, "ports" | "config">,
): Headers {
  const headers: Headers = { [REQUEST_ID]: requestIdOf(request, ports.random, ports.clock) };
  const origins = config.corsOrigins;
  return origins.length === 0 ? headers : Object.assign(headers, corsHeaders(request, origins));
}

/** Redirects to the address with a slash, as the client sees it: a proxy may have taken a prefix off. */
export function redirectToSlash(request: Request, context: RestContext): Response {
  const prefix = new URL(context.baseAddress(request)).pathname.replace(/\/$/, "");
  const location = `${prefix}${pathOf(request)}/${searchOf(request)}`;
  return new Response(null, {
    status: 301,
    headers: { ...commonHeaders(request, context), location },
  });
}

/** The path as the caller wrote it, escapes and all. Not by `new URL`, which throws on a bad Host. */
export function pathOf({ url }: Request): string {
  return /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? "/";
}

function searchOf({ url }: Request): string {
  return /^[^?#]*(\?[^#]*)?/.exec(url)?.[1] ?? "";
}
