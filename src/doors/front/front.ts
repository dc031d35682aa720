import { Elysia } from "elysia";
import { LRUCache } from "lru-cache";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import type { Takes } from "../../values/takes.ts";
import { announcedLength, Body, seal } from "./body.ts";

export interface Incoming {
  request: Request;
  /** Null for a part of the path that is not UTF-8. */
  params: Record<string, string | null>;
  body: Body;
}

/** An address, and everything its requests may bring. */
export interface Route {
  /** `GET` answers HEAD too, `ALL` every verb that the path's other routes do not. */
  verb: "GET" | "POST" | "PATCH" | "DELETE" | "ALL";
  path: string;
  /** Declares the body; there may be none if it is left out. */
  takes?: Takes | undefined;
  /** Whether the handler refuses a body that is not taken, because it checks something else first. */
  refusesBody?: true;
  /**
   * What limits its requests: the caller's key, or nothing, for checks that must always be answered. Left
   * out, it is the client's address.
   */
  limitedBy?: "key" | "nothing";
  answer(incoming: Incoming): Response | Promise<Response>;
}

/** Routes whose handlers limit requests by the caller's key. */
export function limitedByKey(routes: readonly Route[]): Route[] {
  return routes.map((route) => ({ ...route, limitedBy: "key" }));
}

interface FrontContext {
  addresses: AddressLimit;
  /** Whether the appliance is shutting down, which closes connections. */
  isStopping(): boolean;
  /** @param thrown what a handler threw, or null if no route has the address */
  fail(request: Request, thrown: unknown): Response;
}

export type Front = ReturnType<typeof createFront>;

/**
 * The layer that every request passes first: it takes the body away before the framework or a handler sees
 * the request, and hands out what the route declares. What exceeds that is neither read nor parsed, and its
 * connection is closed.
 */
export function createFront(
  routes: readonly Route[],
  { isStopping, addresses, fail }: FrontContext,
) {
  // Elysia's router, because Bun's own decodes paths and treats a missing slash differently.
  const router = new Elysia({
    systemRouter: false,
    strictPath: true,
    // Otherwise a Host of up to three letters would match no route.
    handler: { standardHostname: false },
  }).onError(({ request, code, error }) => fail(request, code === "NOT_FOUND" ? null : error));
  const bodies = new WeakMap<Request, Body>();
  const limited =
    (answer: Route["answer"]): Route["answer"] =>
    async (incoming) => {
      const names = addresses.namesOf(incoming.request);
      const refusal = addresses.refusal(names);
      if (refusal !== null) return fail(incoming.request, refusal);
      const response = await answer(incoming);
      addresses.charge(names, response);
      return response;
    };
  for (const { verb, path, takes, refusesBody, limitedBy, answer: own } of routes) {
    const answer = limitedBy === undefined ? limited(own) : own;
    const isLeftToHandler = verb === "ALL" || refusesBody === true;
    // Elysia inspects a handler's parameters: it does not parse cookies for one that destructures others.
    const handler = async ({ request, params = NO_PARAMS }: Routed) => {
      const body = bodies.get(request);
      if (body === undefined) return answer({ request, params, body: NO_BODY });
      body.allow(takes);
      const refusal = isLeftToHandler ? null : body.refusal();
      return refusal === null ? answer({ request, params, body }) : fail(request, refusal);
    };
    router.route(verb, path, handler, { parse: "none" });
  }

  const { fetch: answered } = router.compile();
  async function answerWithBody(request: Request, length: number): Promise<Response> {
    const body = new Body(request, length, isStopping);
    bodies.set(request, body);
    seal(request);
    const response = await answered(request);
    if (body.isLeft()) response.headers.set("connection", "close");
    return response;
  }
  const front = {
    routes,
    /** Null before it listens. */
    server: null as Bun.Server<undefined> | null,
    handle(request: Request): Response | Promise<Response> {
      const length = announcedLength(request);
      return length === 0 ? answered(request) : answerWithBody(request, length);
    },
    listen(options: Omit<Bun.Serve.HostnamePortServeOptions<undefined>, "fetch">): void {
      front.server = Bun.serve({ ...options, fetch: front.handle });
    },
  };
  return front;
}

/** What Elysia passes to a handler: no parameters if the path has none. */
interface Routed {
  request: Request;
  params?: Incoming["params"];
}

const NO_PARAMS = {};
const NO_BODY = new Body(new Request("http://localhost"), 0, () => false);

/** An answer that does not state its length counts as so many bytes: a page, and the work of making it. */
const USUAL_BYTES = 4_096;
const KIB = 1024;
/** Networks to remember that are refused. */
const REFUSED_MAX = 16_384;

export interface AddressLimitContext {
  /** Names of the limits for a client's networks. */
  namesOf(request: Request): readonly string[];
  throttle: {
    /** @returns milliseconds until the name has made up for it; 0 if it has something left */
    spend(name: string, count: number, nowMs: number): number;
  };
  clock: Pick<Clock, "now" | "monotonic">;
}

/**
 * Limits what is answered to one address, in KiB: whoever asks for large files as fast as they can must not
 * take the time that callers with keys wait for.
 */
type AddressLimit = ReturnType<typeof createAddressLimit>;

export function createAddressLimit({ namesOf, throttle, clock }: AddressLimitContext) {
  /**
   * When networks that have used up their limit may go on. Remembered here, so that a request uses the
   * limits, whose memory all workers share, only once.
   */
  const refusedUntil = new LRUCache<string, number>({ max: REFUSED_MAX });
  return {
    namesOf,

    /** Null as long as the address has something left. */
    refusal(names: readonly string[]): AppError | null {
      if (refusedUntil.size === 0) return null;
      const waitMs =
        Math.max(...names.map((name) => refusedUntil.get(name) ?? 0)) - clock.monotonic();
      if (waitMs <= 0) return null;
      const retryAfterS = Math.ceil(waitMs / 1000);
      return new AppError("throttled", message("addressThrottled"), { retryAfterS });
    },

    charge(names: readonly string[], { headers }: Response): void {
      const bytes = Number(headers.get("content-length") ?? USUAL_BYTES);
      for (const name of names) {
        const waitMs = throttle.spend(name, Math.max(1, Math.ceil(bytes / KIB)), clock.now());
        if (waitMs > 0) refusedUntil.set(name, clock.monotonic() + waitMs);
      }
    },
  };
}

/**
 * Lets pages of all sites send requests and read the answers. Only for addresses at which no cookie counts:
 * a page can do no more there than any program that knows the same key or token.
 */
export function forAnyPage(
  requestId: (request: Request) => string,
  answer: Route["answer"],
): Route["answer"] {
  return async (incoming) => {
    const { request } = incoming;
    if (!request.headers.has("origin")) return answer(incoming);
    const response = isPreflight(request)
      ? new Response(null, {
          status: 204,
          headers: { ...PREFLIGHT, "x-request-id": requestId(request) },
        })
      : await answer(incoming);
    for (const [name, value] of Object.entries(ANY_PAGE)) response.headers.set(name, value);
    return response;
  };
}

/** Whether a browser asks for permission to send a request. It sends no key for that. */
function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

const ANY_PAGE = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After, X-Request-Id, " +
    "X-Request-Cost, RateLimit, RateLimit-Policy",
};

const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD, POST, DELETE",
  // The star stands for all but the first.
  "access-control-allow-headers": "Authorization, *",
  "access-control-max-age": "600",
};
