import { mcpAddress } from "../../../customers/keys/connect-snippets.ts";
import { isResource } from "../../../customers/oauth/oauth.ts";
import type { Body } from "../../front/body.ts";
import type { Incoming } from "../../front/front.ts";
import { limitNames } from "../guard/client-ip.ts";
import type { SiteContext } from "../site-context.ts";

const GRANT_TYPES: ReadonlySet<string> = new Set(["authorization_code", "refresh_token"]);

/** Exchanges a code or a refresh token for tokens (RFC 6749, section 3.2; RFC 8707). */
export async function exchange(
  { request, body }: Incoming,
  context: SiteContext,
  issuer: string,
): Promise<OAuthAnswer> {
  // Any scope is accepted and ignored: there is only one, and clients ask for others they know.
  const form = await readFields(request, body, ["scope"]);
  if ("error" in form) return form.error;
  if (!isResource(form.fields["resource"] ?? null, issuer)) {
    return fault(400, "invalid_target", `The resource here is ${mcpAddress(issuer)}.`);
  }
  // Checked here, because for other grant types the library would first demand a client secret.
  if (!GRANT_TYPES.has(form.fields["grant_type"] ?? "")) {
    return fault(400, "unsupported_grant_type", "Use authorization_code or refresh_token.");
  }
  return throttled(request, context, async () => {
    const answer = await context.oauth.exchange(form.fields);
    return { answer, isGood: answer.status === 200 };
  });
}

/** Ends a token's grant (RFC 7009). */
export async function revoke(
  { request, body }: Incoming,
  context: SiteContext,
): Promise<OAuthAnswer> {
  const form = await readFields(request, body, []);
  if ("error" in form) return form.error;
  const { token, client_id: clientId } = form.fields;
  if (token === undefined || clientId === undefined) {
    return fault(400, "invalid_request", "Send token and client_id.");
  }
  return throttled(request, context, async () => {
    const { hasClient, hasToken } = await context.oauth.revoke(token, clientId);
    const answer = hasClient
      ? { status: 200, body: {} }
      : fault(401, "invalid_client", "There is no such client.");
    return { answer, isGood: hasToken };
  });
}

/** Limits a network's requests, and its invalid ones far more strictly. */
async function throttled(
  request: Request,
  { throttle, clientIp, ports }: SiteContext,
  work: () => Promise<{ answer: OAuthAnswer; isGood: boolean }>,
): Promise<OAuthAnswer> {
  const address = clientIp(request);
  const names = limitNames("token", address);
  if (throttle.take([...names, ...limitNames("exchange", address)], ports.clock.now()) !== null) {
    const description = "Too many requests from this network. Try again in a minute.";
    return { ...fault(429, "temporarily_unavailable", description), retryAfterS: 60 };
  }
  const { answer, isGood } = await work();
  if (isGood) for (const name of names) throttle.giveBack(name, ports.clock.now());
  return answer;
}

type Fields = Record<string, string>;

/** Fields of a form, each at most once, without ignored ones. */
async function readFields(
  request: Request,
  body: Body,
  ignored: readonly string[],
): Promise<{ fields: Fields } | { error: OAuthAnswer }> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    return { error: fault(400, "invalid_request", "Send a form, URL-encoded.") };
  }
  // No prototype, because a field may be named `__proto__`.
  const fields: Fields = Object.create(null);
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(await body.bytes()))) {
    if (name in fields) {
      return { error: fault(400, "invalid_request", "A field stands in the form twice.") };
    }
    if (!ignored.includes(name)) fields[name] = value;
  }
  return { fields };
}

/** An answer without its headers. */
export interface OAuthAnswer {
  status: number;
  body: object;
  retryAfterS?: number;
}

/** An OAuth error, with a sentence for the client's author. */
export function fault(status: number, error: string, description: string): OAuthAnswer {
  return { status, body: { error, error_description: description } };
}
