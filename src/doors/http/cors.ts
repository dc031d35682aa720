import type { Headers } from "./answers.ts";

const EXPOSED =
  "X-Request-Id, X-Request-Cost, RateLimit, RateLimit-Policy, Retry-After, X-Export-Cursor";
const ALLOWED_HEADERS =
  "Authorization, Content-Type, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name";
const PREFLIGHT_AGE_S = 600;

/** Headers that allow a page of a permitted origin to read the answer; just `Vary` for other origins. */
export function corsHeaders(request: Request, origins: readonly string[]): Headers {
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
