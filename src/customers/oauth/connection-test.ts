import type { AskRequest, AskResult } from "../../ports/network.ts";
import { isObject } from "../../values/json-text.ts";

/**
 * Connects to an MCP server as hosted assistants do, one request after another, and tells which one is not
 * answered as they need it. Nothing remains of it: no person consents, so there is no grant.
 */

/** In the order in which they are taken. */
export const CONNECTION_STEPS = [
  "reach",
  "challenge",
  "resource",
  "server",
  "register",
  "authorize",
  "token",
  "page",
] as const;
export type ConnectionStep = (typeof CONNECTION_STEPS)[number];

/** A step, and what came instead of what an assistant needs; null if it passed. */
export interface StepResult {
  step: ConnectionStep;
  fault: string | null;
}

/** Sends one request without following redirects; never throws. */
type SendAsk = (ask: AskRequest) => Promise<AskResult>;

/** @param url the address given to assistants @returns the steps up to the first that fails */
export async function testConnection(url: string, send: SendAsk): Promise<StepResult[]> {
  const passed: StepResult[] = [];
  try {
    await connect(url, send, (step) => passed.push({ step, fault: null }));
    return passed;
  } catch (thrown) {
    if (!(thrown instanceof StepFault)) throw thrown;
    const step = CONNECTION_STEPS[passed.length] ?? "page";
    return [...passed, { step, fault: thrown.message }];
  }
}

class StepFault extends Error {}

async function connect(
  url: string,
  send: SendAsk,
  pass: (step: ConnectionStep) => void,
): Promise<void> {
  /** @throws StepFault unless the status is one of these */
  async function ask(asked: AskRequest, ...statuses: number[]) {
    const answer = await send(asked);
    if ("fault" in answer) throw new StepFault(`${asked.url}: ${answer.fault}`);
    if (statuses.includes(answer.status)) return answer;
    const to = answer.header("location");
    throw new StepFault(`${asked.url}: ${answer.status}${to === null ? "" : ` → ${to}`}`);
  }
  async function json(asked: AskRequest, ...statuses: number[]): Promise<Record<string, unknown>> {
    const { body } = await ask(asked, ...statuses);
    try {
      const value: unknown = JSON.parse(body);
      if (isObject(value)) return value;
    } catch {}
    throw new StepFault(`${asked.url}: ${JSON.stringify(body.slice(0, 60))}`);
  }

  const initialize: AskRequest = { method: "POST", url, headers: JSON_HEADERS, body: INITIALIZE };
  const refused = await ask(initialize, 401);
  pass("reach");

  const challenge = refused.header("www-authenticate") ?? "";
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
  if (metadata === undefined) throw new StepFault(`WWW-Authenticate: ${challenge}`);
  pass("challenge");

  const { resource, authorization_servers: servers } = await json(
    { method: "GET", url: metadata },
    200,
  );
  const issuer = Array.isArray(servers) ? servers[0] : undefined;
  if (resource !== url || typeof issuer !== "string" || !URL.canParse(issuer)) {
    throw new StepFault(
      `${metadata}: ${JSON.stringify({ resource, authorization_servers: servers })}`,
    );
  }
  pass("resource");

  const { origin, pathname } = new URL(issuer);
  const wellKnown = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`;
  const server = await json({ method: "GET", url: wellKnown }, 200);
  const endpoint = (name: string): string => {
    const address = server[name];
    if (typeof address === "string" && URL.canParse(address)) return address;
    throw new StepFault(`${wellKnown}: ${name}: ${JSON.stringify(address)}`);
  };
  const [register, authorize, token] = ENDPOINTS.map((name) => endpoint(`${name}_endpoint`));
  if (server["issuer"] !== issuer) throw new StepFault(`${wellKnown}: ${String(server["issuer"])}`);
  pass("server");

  const client = await json(
    { method: "POST", url: String(register), headers: JSON_HEADERS, body: CLIENT },
    201,
  );
  pass("register");

  const query = new URLSearchParams({
    ...{ client_id: String(client["client_id"]), redirect_uri: REDIRECT, response_type: "code" },
    ...{ code_challenge: "x".repeat(43), code_challenge_method: "S256", resource: url },
  });
  await ask({ method: "GET", url: `${authorize}?${query}` }, 200, 302, 303);
  pass("authorize");

  const form = new URLSearchParams({
    ...{ grant_type: "authorization_code", code: "none", redirect_uri: REDIRECT },
    ...{ client_id: String(client["client_id"]), code_verifier: "x".repeat(43), resource: url },
  });
  const { error } = await json(
    { method: "POST", url: String(token), headers: FORM_HEADERS, body: String(form) },
    400,
  );
  if (error !== "invalid_grant") throw new StepFault(`${token}: ${JSON.stringify(error)}`);
  pass("token");

  const asked = { origin: "https://example.com", "access-control-request-method": "POST" };
  const preflight = await ask({ method: "OPTIONS", url, headers: asked }, 200, 204);
  const allowed = preflight.header("access-control-allow-origin");
  if (allowed !== "*") throw new StepFault(`Access-Control-Allow-Origin: ${allowed}`);
  pass("page");
}

const ENDPOINTS = ["registration", "authorization", "token"];
const REDIRECT = "http://127.0.0.1/callback";
const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const FORM_HEADERS = { "content-type": "application/x-www-form-urlencoded" };
const CLIENT = JSON.stringify({ client_name: "Connection test", redirect_uris: [REDIRECT] });
const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "connection-test", version: "1" },
  },
});
