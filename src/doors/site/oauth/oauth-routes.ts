import { Elysia } from "elysia";
import {
  OAUTH_PATHS,
  oauthOffText,
  resourceMetadata,
  serverMetadata,
} from "../../../customers/oauth/server-metadata.ts";
import { toAppError } from "../../../errors.ts";
import { STATUS_OF } from "../../../methods/statuses.ts";
import { noted } from "../../../upkeep/metrics/note-request.ts";
import type { SiteContext } from "../site-context.ts";
import { fault, type OAuthAnswer } from "./oauth-answer.ts";
import { registerClient } from "./register-client.ts";
import { exchange, revoke } from "./token-endpoint.ts";

/** @param issuer the appliance's address */
type Endpoint = (
  request: Request,
  context: SiteContext,
  issuer: string,
) => OAuthAnswer | Promise<OAuthAnswer>;

const RESOURCE: Endpoint = (_request, _context, issuer) => ({
  status: 200,
  body: resourceMetadata(issuer),
});
const SERVER: Endpoint = (_request, _context, issuer) => ({
  status: 200,
  body: serverMetadata(issuer),
});

const WELL_KNOWN_SERVER = "/.well-known/oauth-authorization-server";
const WELL_KNOWN_RESOURCE = "/.well-known/oauth-protected-resource";

/**
 * Endpoints by verb and path. If the appliance's address has a path, clients append that path to metadata
 * paths.
 */
const ENDPOINTS: readonly (readonly ["GET" | "POST", string, Endpoint])[] = [
  ["GET", WELL_KNOWN_RESOURCE, RESOURCE],
  ["GET", OAUTH_PATHS.resourceMetadata, RESOURCE],
  ["GET", OAUTH_PATHS.resourceMetadata.slice(0, -1), RESOURCE],
  ["GET", WELL_KNOWN_SERVER, SERVER],
  ["GET", `${WELL_KNOWN_SERVER}/*`, SERVER],
  ["POST", OAUTH_PATHS.register, registerClient],
  ["POST", OAUTH_PATHS.token, exchange],
  ["POST", OAUTH_PATHS.revoke, revoke],
];

/** OAuth endpoints that clients call directly; a person's part is a page of the site. */
export function oauthRoutes(context: SiteContext) {
  const routes = new Elysia({ name: "oauth", strictPath: true });
  if (!context.config.oauth) return routes;
  const { noteRequests } = context;
  const { monotonic } = context.ports.clock;
  const unparsed = { parse: "none" } as const;
  for (const [verb, path, endpoint] of ENDPOINTS) {
    const answer = noted(
      noteRequests("site", path),
      monotonic,
      ({ request }: { request: Request }) => respond(verb, request, endpoint, context),
    );
    routes.all(path, answer, unparsed);
  }
  return routes;
}

async function respond(
  verb: "GET" | "POST",
  request: Request,
  endpoint: Endpoint,
  context: SiteContext,
): Promise<Response> {
  const issuer = context.oauthAddress();
  const headers = new Headers({
    "content-type": "application/json; charset=utf-8",
    // Some of the answers contain tokens (RFC 6749, section 5.1).
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": context.requestId(request),
  });
  const isAllowed = request.method === verb || (verb === "GET" && request.method === "HEAD");
  if (!isAllowed) headers.set("allow", verb === "GET" ? "GET, HEAD" : verb);
  const { status, body, retryAfterS } =
    issuer === null
      ? fault(404, "invalid_request", oauthOffText(context.baseAddress(request)))
      : isAllowed
        ? await answerOf(endpoint, request, issuer, context)
        : fault(405, "invalid_request", `Use ${verb}.`);
  if (retryAfterS !== undefined) headers.set("retry-after", String(retryAfterS));
  const text = request.method === "HEAD" ? null : JSON.stringify(body);
  return new Response(text, { status, headers });
}

/** The endpoint's answer; if it throws, an error in a form that OAuth clients understand. */
async function answerOf(
  endpoint: Endpoint,
  request: Request,
  issuer: string,
  context: SiteContext,
): Promise<OAuthAnswer> {
  try {
    return await endpoint(request, context, issuer);
  } catch (thrown) {
    const error = toAppError(thrown);
    const requestId = context.requestId(request);
    if (error.cause !== undefined) {
      context.ports.log.error({ err: error.cause, requestId }, error.detail);
    }
    const status = STATUS_OF[error.code];
    return fault(status, status < 500 ? "invalid_request" : "server_error", error.detail);
  }
}
