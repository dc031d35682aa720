import type { Config } from "../../config.ts";
import { notFound } from "../../errors.ts";
import type { Readiness } from "../../upkeep/checks/readiness.ts";
import { isWithinRange } from "../../values/network/address-ranges.ts";
import { json } from "./answers.ts";
import type { PublicRoutes } from "./public-routes.ts";

export interface MetricsContext {
  config: Config;
  /** The client's IP; a proxy's header counts only if the proxy is trusted. */
  clientIp(request: Request): string;
  metrics: { contentType: string; text(): Promise<string> };
}

/** Header in which a trusted proxy names the client's IP, and other headers that proxies add. */
const CLIENT = "x-forwarded-for";
const FORWARDED = [CLIENT, "forwarded", "x-real-ip", "via"];

/** `/metrics`: for clients that may not read it, the address does not exist. */
export function metricsRoutes(context: MetricsContext): PublicRoutes {
  const { contentType, text } = context.metrics;
  return {
    "/metrics": async (request) => {
      if (!mayRead(request, context)) throw notFound("address");
      return new Response(await text(), {
        headers: { "content-type": contentType, "cache-control": "no-store" },
      });
    },
  };
}

/**
 * Whether the client's address is allowed. Behind a proxy that is not trusted, or does not say whom it
 * serves, everybody has the proxy's address, often the loopback: such requests are refused.
 */
function mayRead(request: Request, { config, clientIp }: MetricsContext): boolean {
  const isForwarded = FORWARDED.some((name) => request.headers.has(name));
  if (isForwarded && !(config.trustProxy && request.headers.has(CLIENT))) return false;
  return isWithinRange(clientIp(request), config.metricsAllow);
}

const RETRY_AFTER_S = "1";

/**
 * `/readyz`: 200 if everything is well apart from warnings, else 503. `checks` contains `ok` or what is
 * wrong, by name; it is public, so the sentences reveal nothing more.
 */
export function readinessAnswer({ checks, warnings }: Readiness): Response {
  const detail = checks.flatMap(([, fault]) => fault ?? []).join(" ");
  const shown = Object.fromEntries([
    ...checks.map(([name, fault]) => [name, fault ?? "ok"]),
    ...warnings,
  ]);
  if (detail === "") return json(200, { status: "ok", checks: shown }, {});
  const body = { code: "unavailable", detail, checks: shown };
  return json(503, body, { "retry-after": RETRY_AFTER_S });
}
