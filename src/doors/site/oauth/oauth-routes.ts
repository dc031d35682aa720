import { MCP_PATH, MCP_PATHS } from "../../../customers/keys/connect-snippets.ts";
import { isLoopbackUri } from "../../../customers/oauth/client-metadata.ts";
import {
  OAUTH_PATHS,
  oauthOffText,
  resourceMetadata,
  serverMetadata,
} from "../../../customers/oauth/server-metadata.ts";
import { toAppError } from "../../../errors.ts";
import { noted } from "../../../upkeep/metrics/note-request.ts";
import { type Takes, takesForm, takesJson } from "../../../values/takes.ts";
import { STATUS_OF } from "../../../verbs/method.ts";
import type { Body } from "../../front/body.ts";
import { forAnyPage, type Incoming, type Route } from "../../front/front.ts";
import { limitNames } from "../guard/client-ip.ts";
import type { SiteContext } from "../site-context.ts";
import { exchange, fault, type OAuthAnswer, revoke } from "./token-endpoint.ts";

const RETRY_AFTER_S = 360;

/**
 * Registers a public client (RFC 7591): at most 20 per hour from one address, and ten times as many from a
 * /48. A refused one does not count.
 */
async function registerClient(
  { request, body }: Incoming,
  context: SiteContext,
): Promise<OAuthAnswer> {
  const { throttle, clientIp, ports } = context;
  const names = limitNames("registration", clientIp(request));
  if (throttle.take(names, ports.clock.now()) !== null) {
    const description = "Too many registrations. Try again in some minutes.";
    return { ...fault(429, "temporarily_unavailable", description), retryAfterS: RETRY_AFTER_S };
  }
  const answer = await register(body, context);
  if (answer.status !== 201) {
    for (const name of names) throttle.giveBack(name, ports.clock.now());
  }
  return answer;
}

async function register(
  body: Body,
  { oauth, ports: { clock } }: SiteContext,
): Promise<OAuthAnswer> {
  const registered = oauth.register(parse(await body.bytes()));
  if ("error" in registered) return fault(400, registered.error, registered.description);
  const { clientId, name: clientName, redirectUris } = registered;
  return {
    status: 201,
    body: {
      client_id: clientId,
      client_id_issued_at: Math.floor(clock.now() / 1000),
      client_name: clientName,
      redirect_uris: redirectUris,
      application_type: redirectUris.some(isLoopbackUri) ? "native" : "web",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
  };
}

/** Undefined if it is not JSON. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** @param issuer the appliance's address */
type Endpoint = (
  incoming: Incoming,
  context: SiteContext,
  issuer: string,
) => OAuthAnswer | Promise<OAuthAnswer>;

const resourceAt =
  (path: string): Endpoint =>
  (_incoming, _context, issuer) => ({ status: 200, body: resourceMetadata(issuer, path) });
const SERVER: Endpoint = (_incoming, { oauth }, issuer) => ({
  status: 200,
  body: serverMetadata(issuer, oauth.documents.isReachable()),
});

const WELL_KNOWN_SERVER = "/.well-known/oauth-authorization-server";

/** Small, because callers need no key, and registrations are stored for days. */
const METADATA_BYTES_MAX = 4 * 1024;

/**
 * Endpoints by verb and path. If the appliance's address has a path, clients append that path to metadata
 * paths.
 */
const ENDPOINTS: readonly (readonly ["GET" | "POST", string, Endpoint, Takes?])[] = [
  ["GET", OAUTH_PATHS.resourceMetadata, resourceAt(MCP_PATH)],
  ...MCP_PATHS.map(
    (path) => ["GET", OAUTH_PATHS.resourceMetadata + path, resourceAt(path)] as const,
  ),
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
    const answer = noted(
      noteRequests("site", path),
      monotonic,
      forAnyPage(context.requestId, (incoming) => respond(verb, incoming, endpoint, context)),
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
