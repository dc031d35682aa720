import { createHash } from "node:crypto";
import type { Environment } from "../../src/config.ts";
import { type Answer, type Appliance, type ApplianceOptions, startAppliance } from "./appliance.ts";
import type { FakePorts } from "./fake-ports.ts";
import { addPerson, type SitePageAnswer, signedInVisitor, type Visitor } from "./visitor.ts";

/** An OAuth client that sends each request separately, so that any of them can be wrong. */

export const ISSUER = "https://kanalog.example.com";
export const REDIRECT = "https://assistant.example/back";
export const VERIFIER = "a-verifier-of-at-least-forty-three-characters-0";
const STATE = "a state";

export const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

export function startWithOAuth(
  environment: Environment = {},
  ports?: FakePorts,
  options?: ApplianceOptions,
): Promise<Appliance> {
  const settings = { KANALOG_OAUTH: "on", KANALOG_BASE_URL: ISSUER, ...environment };
  return startAppliance(settings, ports, options);
}

/** Tokens as the client receives them. */
export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  token_type: string;
  scope: string;
}

export interface OAuthTalk {
  appliance: Appliance;
  /** A person who is signed in and has one organization. */
  person: Visitor;
  memberId: number;
  organizationId: number;
  register(metadata?: unknown): Promise<Answer>;
  /** Path of the page that asks the person; a field set to null is omitted. */
  askPath(clientId: string, fields?: Record<string, string | null>): string;
  /** Sends the person's answer. @returns where it leads, or null */
  answer(path: string, action: "allow" | "refuse", organizationId?: number): Promise<URL | null>;
  token(fields: Record<string, string>): Promise<Answer>;
  /** Goes through all steps, from the registration on. */
  connect(clientId?: string): Promise<{ clientId: string; code: string; tokens: Tokens }>;
  exchange(clientId: string, code: string, fields?: Record<string, string>): Promise<Answer>;
  refresh(clientId: string, refreshToken: string): Promise<Answer>;
  /** Calls a tool. @returns the status, and the result's text or the reason of the refusal */
  call(token: string, tool?: string): Promise<{ status: number; text: string }>;
}

export const METADATA = { client_name: "Assistant", redirect_uris: [REDIRECT] };

export async function startOAuthTalk(given?: Appliance): Promise<OAuthTalk> {
  const appliance = given ?? (await startWithOAuth());
  const { memberId, organizationId, email } = await addPerson(appliance);
  const person = await signedInVisitor(appliance, email);

  const self: OAuthTalk = {
    ...{ appliance, person, memberId, organizationId },
    register: (metadata = METADATA) =>
      appliance.request("/oauth/register", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(metadata),
      }),

    askPath(clientId, fields = {}) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries({
        response_type: "code",
        client_id: clientId,
        redirect_uri: REDIRECT,
        code_challenge: challengeOf(VERIFIER),
        code_challenge_method: "S256",
        state: STATE,
        resource: `${ISSUER}/v1/mcp/`,
        ...fields,
      })) {
        if (value !== null) query.set(name, value);
      }
      return `/account/authorize/?${query}`;
    },

    async answer(path, action, organization = organizationId) {
      return leadsTo(await person.post(path, { action, organization }));
    },

    token: (fields) =>
      appliance.request("/oauth/token", { method: "POST", body: new URLSearchParams(fields) }),

    exchange: (clientId, code, fields = {}) =>
      self.token({
        ...{ grant_type: "authorization_code", client_id: clientId, code },
        ...{ redirect_uri: REDIRECT, code_verifier: VERIFIER },
        ...fields,
      }),

    refresh: (clientId, refreshToken) =>
      self.token({
        ...{ grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken },
      }),

    async connect(known) {
      const clientId = known ?? (await self.register()).body.client_id;
      const to = await self.answer(self.askPath(clientId), "allow");
      const code = to?.searchParams.get("code") ?? "";
      return { clientId, code, tokens: (await self.exchange(clientId, code)).body };
    },

    async call(token, tool = "msgr_categories_list") {
      const params = { name: tool, arguments: {} };
      const { status, body } = await appliance.request("/v1/mcp/", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      });
      return { status, text: body.result?.content[0].text ?? body.detail };
    },
  };
  return self;
}

/** Where the page after the person's answer leads; null if nowhere. */
export function leadsTo({ headers }: SitePageAnswer): URL | null {
  const to = /^0; url=(.+)$/.exec(headers.get("refresh") ?? "")?.[1];
  return to === undefined ? null : new URL(to);
}
