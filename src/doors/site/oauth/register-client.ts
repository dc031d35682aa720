import { isLoopbackUri } from "../../../customers/oauth/redirect-uri.ts";
import type { Body } from "../../front/body.ts";
import type { Incoming } from "../../front/front.ts";
import { limitNames } from "../guard/client-ip.ts";
import type { SiteContext } from "../site-context.ts";
import { fault, type OAuthAnswer } from "./oauth-answer.ts";

const RETRY_AFTER_S = 360;

/**
 * Registers a public client (RFC 7591): at most 20 per hour from one address, and ten times as many from a
 * /48. A refused one does not count.
 */
export async function registerClient(
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
