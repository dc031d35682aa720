import { EXPORT_SILENCE_MAX_S } from "../../catalog/exports/bulk.ts";
import type { Caller } from "../../customers/keys/keys.ts";
import type { AnsweredRequest } from "../../customers/limits/request-log.ts";
import type { AppError } from "../../errors.ts";
import type { NoteRequest, NoteRequests } from "../../upkeep/metrics/note-request.ts";
import { noted, OTHER } from "../../upkeep/metrics/note-request.ts";
import { runFor } from "../../values/tenant.ts";
import { type Admitted, admit, admitAgain, type Gate } from "../../verbs/admission.ts";
import type { Outcome } from "../../verbs/call.ts";
import { type ApiMethod, FileAnswer } from "../../verbs/method.ts";
import { type RawArguments, UNDECODABLE } from "../../verbs/read-arguments.ts";
import type { Incoming, Route } from "../front/front.ts";
import {
  type AnswerContext,
  commonHeaders,
  errorAnswer,
  errorResponse,
  fileResponse,
  type Headers,
  json,
  preflight,
  redirectToSlash,
  setLimitHeaders,
  wrongVerb,
} from "./answers.ts";
import { type BaseAddress, pathOf, REQUEST_ID, readQuery } from "./requests/base-address.ts";
import { type Bodies, readJsonBody } from "./requests/body.ts";

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

/** Statuses whose reasons the request log keeps: callers know what was wrong with their own requests. */
const REASON_FROM = 429;

export interface KeyedContext extends AnswerContext, Gate {
  baseAddress: BaseAddress;
  noteRequests: NoteRequests;
  bodies: Bodies;
  /**
   * Records a request with a valid key, in its owner's request log and in the hourly counters for staff.
   */
  noteAnswer(keyId: number, answered: AnsweredRequest): void;
  /** Everything read before the next `await` sees one snapshot, taken after this call. */
  tickSnapshot(): Promise<void>;
}

export interface Keyed {
  admitted: Admitted;
  headers: Headers;
  nowMs: number;
}

/** An answer, and what the request log records of it. */
export interface Answered {
  response: Response;
  note: NoteRequest;
  /** The address shown in the key owner's request log. */
  url: string;
  /** For a tool call the status of its outcome, even if the HTTP answer is a 200. */
  status: number;
  units: number;
  /** Why it was not answered; null if it was. */
  error: AppError | null;
  /** Milliseconds spent waiting for the plan's rate limit: such a request is not a slow one. */
  waitedMs: number;
}

/**
 * Answers a request that carries a key, and records it. Its work is charged to the caller's organization.
 * @param answer continues once the key was found valid; errors it throws are answered too
 * @param withoutOutcome gives what is recorded if no method was run
 */
export async function answerKeyed(
  request: Request,
  context: KeyedContext,
  answer: (keyed: Keyed) => Promise<Answered>,
  withoutOutcome: (response: Response) => Answered,
): Promise<Response> {
  const { ports } = context;
  await context.tickSnapshot();
  const startedMs = ports.clock.monotonic();
  const nowMs = ports.clock.now();
  const headers = commonHeaders(request, context);
  let caller: Caller | null = null;
  let answered: Answered;
  try {
    const authorization = request.headers.get("authorization");
    const judged = admit(authorization, nowMs, context);
    const admission = judged.ok ? judged : await admitAgain(judged, authorization, nowMs, context);
    if (admission.ok) {
      caller = admission.caller;
      const budget = context.services.limits.timeBudget(caller, "programs");
      answered = await runFor(caller.organization.id, budget, () =>
        answer({ admitted: admission, headers, nowMs }),
      );
    } else {
      answered = withoutOutcome(errorResponse(admission.error, headers));
    }
  } catch (error) {
    answered = withoutOutcome(errorAnswer(error, headers, ports));
  }
  const { response, note, url, status, units, error, waitedMs } = answered;
  note(status, startedMs + waitedMs, headers[REQUEST_ID] ?? "", caller);
  if (caller !== null) {
    const durationMs = ports.clock.monotonic() - startedMs - waitedMs;
    const reason = error !== null && status >= REASON_FROM ? error.publicMessage : null;
    const logged = { at: nowMs, verb: request.method, url, status, durationMs, units, reason };
    context.noteAnswer(caller.key.id, logged);
  }
  return response;
}
