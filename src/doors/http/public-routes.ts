import type { Config } from "../../config.ts";
import { notFound } from "../../errors.ts";
import type { Readiness } from "../../upkeep/checks/readiness.ts";
import { isWithinRange } from "../../values/network/address-ranges.ts";
import { bytesFor, packedFiles } from "../../values/packed-bytes.ts";
import { json } from "./answers.ts";

/** Answers a GET that needs no key. `name` is the last part of the path. */
export type PublicRoute = (request: Request, name: string) => Response | Promise<Response>;

/** Pages, documents and checks that need no key, by path. */
export type PublicRoutes = Record<string, PublicRoute>;

/** Content security policy of a text page, which loads only styles and its icon. */
export const PROSE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";

export function pageResponse(html: string, contentSecurityPolicy: string): Response {
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}

/** A file loaded by pages, unchanged until the next release. */
export function asset(file: Blob, type: string): PublicRoute {
  const packed = packedFiles([file]);
  return async (request) => {
    const { bytes, headers } = await bytesFor(request, await packed());
    return new Response(bytes, {
      headers: { ...headers, "content-type": type, "cache-control": "public, max-age=3600" },
    });
  };
}

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
