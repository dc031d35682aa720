import type { Route } from "./front.ts";

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
