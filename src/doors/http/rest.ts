import { EXPORT_SILENCE_MAX_S } from "../../catalog/exports/bulk.ts";
import type { AppError } from "../../errors.ts";
import { type NoteRequest, noted, OTHER } from "../../upkeep/metrics/note-request.ts";
import type { Outcome } from "../../verbs/call.ts";
import { type ApiMethod, FileAnswer } from "../../verbs/method.ts";
import { type RawArguments, UNDECODABLE } from "../../verbs/read-arguments.ts";
import type { Incoming, Route } from "../front/front.ts";
import {
  commonHeaders,
  errorAnswer,
  fileResponse,
  type Headers,
  json,
  preflight,
  redirectToSlash,
  setLimitHeaders,
  wrongVerb,
} from "./answers.ts";
import { answerKeyed, type KeyedContext } from "./keyed-request.ts";
import { pathOf, readQuery } from "./requests/base-address.ts";
import { readJsonBody } from "./requests/body.ts";

export interface RestContext extends KeyedContext {
  /** Sets how long a request's connection may be silent. */
  giveTime(request: Request, silenceMaxS: number): void;
}

interface Noted {
  method: ApiMethod;
  note: NoteRequest;
}

/**
 * The REST routes, all derived from the methods' declarations. A request is checked in the contract's
 * order: route, key, rate, verb, then the method itself.
 */
export function restRoutes(methods: readonly ApiMethod[], context: RestContext): Route[] {
  return [...Map.groupBy(methods, (method) => method.path)].flatMap(([path, ofPath]) =>
    routesOf(path, ofPath, context),
  );
}

/** Routes of one path: its methods by verb, redirects to the trailing slash, and refusals. */
function routesOf(path: string, methods: readonly ApiMethod[], context: RestContext): Route[] {
  const { noteRequests } = context;
  const { monotonic } = context.ports.clock;
  const ofPath = methods.map((method): Noted => {
    return { method, note: noteRequests("rest", method.operationId) };
  });
  const [first] = ofPath as [Noted];
  const withoutSlash = path.slice(0, -1);
  const allowed = methods
    .flatMap(({ verb }) => (verb === "GET" ? ["GET", "HEAD"] : verb))
    .join(", ");
  const noteOther = noteRequests("rest", OTHER);
  const redirect = noted(noteOther, monotonic, ({ request }: Incoming) =>
    redirectToSlash(request, context),
  );
  const grant = noted(noteOther, monotonic, (granted: Response) => granted);
  const other = (incoming: Incoming) => {
    const { request } = incoming;
    const granted = preflight(request, () => commonHeaders(request, context), allowed);
    return granted === null ? answerCall(first, incoming, context, allowed) : grant(granted);
  };
  return [
    ...ofPath.flatMap((one): Route[] => {
      const { verb, takes } = one.method;
      const answer = (incoming: Incoming) => answerCall(one, incoming, context);
      // The key is checked first.
      const route = { path, verb, takes, refusesBody: true, answer } as const;
      return verb === "GET" ? [route] : [route, { ...route, path: withoutSlash }];
    }),
    { verb: "GET", path: withoutSlash, answer: redirect },
    { verb: "ALL", path, answer: other },
    { verb: "ALL", path: withoutSlash, answer: other },
  ];
}

/** @param allowed the verbs that the path accepts, if the request's is not among them */
function answerCall(
  { method, note }: Noted,
  { request, params, body }: Incoming,
  context: RestContext,
  allowed?: string,
): Promise<Response> {
  const answered = (response: Response, units = 0, error: AppError | null = null) => {
    const { url } = request;
    return { response, note, url, status: response.status, units, error, waitedMs: 0 };
  };
  return answerKeyed(
    request,
    context,
    async ({ admitted, headers }) => {
      if (allowed !== undefined) headers["allow"] = allowed;
      const denial =
        admitted.takeRequest() ??
        (allowed === undefined ? null : wrongVerb(request)) ??
        (method.takes === undefined ? body.refusal() : null);
      const outcome =
        denial === null
          ? await admitted.call(method, readRaw(request, params), {
              readBody: () => readJsonBody({ request, body }, context.bodies),
              ownUrl: (path) => context.baseAddress(request) + path,
              nextPage: (_opened, query) =>
                `${context.baseAddress(request)}${pathOf(request)}?${query()}`,
            })
          : admitted.refuse(method.operationId, denial);
      setLimitHeaders(headers, admitted.limitsAfter(outcome));
      const response = outcome.ok
        ? successResponse(request, outcome, headers, context)
        : errorAnswer(outcome.error, headers, context.ports);
      return answered(response, outcome.units, outcome.ok ? null : outcome.error);
    },
    answered,
  );
}

/** Arguments of query and path; Elysia passes null for a part of the path that is not UTF-8. */
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
  return status === 204 ? new Response(null, { status, headers }) : json(status, body, headers);
}
