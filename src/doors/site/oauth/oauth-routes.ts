import {
  OAUTH_PATHS,
  oauthOffText,
  resourceMetadata,
  serverMetadata,
} from "../../../customers/oauth/server-metadata.ts";
import { toAppError } from "../../../errors.ts";
import { noted } from "../../../upkeep/metrics/note-request.ts";
import { type Takes, takesForm, takesJson } from "../../../values/takes.ts";
import { STATUS_OF } from "../../../verbs/statuses.ts";
import type { Incoming, Route } from "../../front/front.ts";
import type { SiteContext } from "../site-context.ts";
import { fault, type OAuthAnswer } from "./oauth-answer.ts";
import { registerClient } from "./register-client.ts";
import { exchange, revoke } from "./token-endpoint.ts";

/** @param issuer the appliance's address */
type Endpoint = (
  incoming: Incoming,
  context: SiteContext,
  issuer: string,
) => OAuthAnswer | Promise<OAuthAnswer>;

const RESOURCE: Endpoint = (_incoming, _context, issuer) => ({
  status: 200,
  body: resourceMetadata(issuer),
});
const SERVER: Endpoint = (_incoming, _context, issuer) => ({
  status: 200,
  body: serverMetadata(issuer),
});

const WELL_KNOWN_SERVER = "/.well-known/oauth-authorization-server";
const WELL_KNOWN_RESOURCE = "/.well-known/oauth-protected-resource";

/** Small, because callers need no key, and registrations are stored for days. */
const METADATA_BYTES_MAX = 4 * 1024;

/**
 * Endpoints by verb and path. If the appliance's address has a path, clients append that path to metadata
 * paths.
 */
const ENDPOINTS: readonly (readonly ["GET" | "POST", string, Endpoint, Takes?])[] = [
  ["GET", WELL_KNOWN_RESOURCE, RESOURCE],
  ["GET", OAUTH_PATHS.resourceMetadata, RESOURCE],
  ["GET", OAUTH_PATHS.resourceMetadata.slice(0, -1), RESOURCE],
  ["GET", WELL_KNOWN_SERVER, SERVER],
  ["GET", `${WELL_KNOWN_SERVER}/*`, SERVER],
  ["POST", OAUTH_PATHS.register, registerClient, takesJson(METADATA_BYTES_MAX)],
  ["POST", OAUTH_PATHS.token, exchange, takesForm()],
  ["POST", OAUTH_PATHS.revoke, revoke, takesForm()],
];

/** OAuth endpoints that clients call directly; a person's part is a page of the site. */
export function oauthRoutes(context: SiteContext): Route[] {
  if (!context.config.oauth) return [];
  const { noteRequests } = context;
  const { monotonic } = context.ports.clock;
  return ENDPOINTS.flatMap(([verb, path, endpoint, takes]): Route[] => {
    const answer = noted(noteRequests("site", path), monotonic, (incoming: Incoming) =>
      respond(verb, incoming, endpoint, context),
    );
    return [
      // A body is refused as OAuth clients understand it.
      { verb, path, takes, refusesBody: true, answer },
      { verb: "ALL", path, answer },
    ];
  });
}

async function respond(
  verb: "GET" | "POST",
  incoming: Incoming,
  endpoint: Endpoint,
  context: SiteContext,
): Promise<Response> {
  const { request } = incoming;
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
        ? await answerOf(endpoint, incoming, issuer, context)
        : fault(405, "invalid_request", `Use ${verb}.`);
  if (retryAfterS !== undefined) headers.set("retry-after", String(retryAfterS));
  const text = request.method === "HEAD" ? null : JSON.stringify(body);
  return new Response(text, { status, headers });
}

/** The endpoint's answer; if it throws, an error in a form that OAuth clients understand. */
async function answerOf(
  endpoint: Endpoint,
  incoming: Incoming,
  issuer: string,
  context: SiteContext,
): Promise<OAuthAnswer> {
  try {
    const refusal = incoming.body.refusal();
    if (refusal !== null) throw refusal;
    return await endpoint(incoming, context, issuer);
  } catch (thrown) {
    const error = toAppError(thrown);
    const requestId = context.requestId(incoming.request);
    if (error.cause !== undefined) {
      context.ports.log.error({ err: error.cause, requestId }, error.detail);
    }
    const status = STATUS_OF[error.code];
    return fault(status, status < 500 ? "invalid_request" : "server_error", error.detail);
  }
}
