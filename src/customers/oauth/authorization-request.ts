import { MCP_PATHS } from "../keys/connect-snippets.ts";
import { type ClientMetadata, isOneOf } from "./client-metadata.ts";

export interface Client extends ClientMetadata {
  clientId: string;
}

/** A client's request for a person's consent (RFC 6749, section 4.1.1; RFC 7636; RFC 8707). */
export interface AuthorizationRequest {
  client: Client;
  redirectUri: string;
  /** The PKCE challenge, method S256. */
  challenge: string;
  /** Returned to the client unchanged; null if it sent none. */
  state: string | null;
}

/** Why a request is invalid. Shown on a page, because an invalid request must not redirect anybody. */
export type AuthorizationFault =
  | "twice"
  | "redirect"
  | "responseType"
  | "challenge"
  | "resource"
  | "state";

/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;
const STATE_LENGTH_MAX = 2_048;
const NAMES = [
  ...["client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method"],
  ...["state", "scope", "resource"],
];

/**
 * Reads and checks the query of an authorization request.
 * @param issuer the appliance's address
 */
export function readAuthorizationRequest(
  query: URLSearchParams,
  client: Client,
  issuer: string,
): AuthorizationRequest | { fault: AuthorizationFault } {
  if (NAMES.some((name) => query.getAll(name).length > 1)) return { fault: "twice" };
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!isOneOf(redirectUri, client.redirectUris)) return { fault: "redirect" };
  if (query.get("response_type") !== "code") return { fault: "responseType" };
  const challenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256" || !CHALLENGE.test(challenge)) {
    return { fault: "challenge" };
  }
  if (!isResource(query.get("resource"), issuer)) return { fault: "resource" };
  const state = query.get("state");
  if (state !== null && (state.length > STATE_LENGTH_MAX || !/^[ -~]*$/.test(state))) {
    return { fault: "state" };
  }
  return { client, redirectUri, challenge, state };
}

/** Whether the MCP server is the requested resource, in any spelling; clients of older revisions name none. */
export function isResource(given: string | null, issuer: string): boolean {
  if (given === null) return true;
  if (!URL.canParse(given)) return false;
  // Scheme and host in lower case, without a default port.
  const { href } = new URL(given);
  return MCP_PATHS.some((path) => href === new URL(issuer + path).href);
}

/** Where to redirect the person with the answer (RFC 6749, section 4.1.2; RFC 9207 for `iss`). */
export function answerAddress(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  answer: { code: string } | { error: "access_denied" },
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer });
  // The client's address stays unchanged, including a query of its own.
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
}
