import type { Database } from "../../db/database.ts";
import type { Ports } from "../../ports/ports.ts";
import { MCP_PATHS } from "../keys/connect-snippets.ts";
import { createKeyToken, hashKeyToken } from "../keys/key-token.ts";
import type { DocumentFault, ReadDocument } from "./client-documents.ts";
import { createClientDocuments } from "./client-documents.ts";
import type { ClientMetadata, MetadataFault } from "./client-metadata.ts";
import {
  clientHash,
  clientIdOf,
  isDocumentId,
  isOneOf,
  readClientId,
  readClientMetadata,
} from "./client-metadata.ts";
import { type Grant, selectGrants, selectToken } from "./oauth.store.ts";
import type { OAuthChanges, TokenAnswer } from "./oauth-changes.ts";
import { createOAuthToken, isOAuthToken } from "./token-model.ts";

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

export type OAuth = ReturnType<typeof createOAuth>;

/**
 * Access for assistants that are configured with nothing but an address (OAuth 2.1; the MCP authorization
 * specification).
 * @param db for reading grants
 * @param secret of the database file, which signs the ids of clients
 * @param changes run on a writing connection
 * @param readDocument reads the document of a client whose id is an address
 */
export function createOAuth(
  db: Database,
  changes: OAuthChanges,
  { clock, random }: Pick<Ports, "clock" | "random">,
  readDocument: ReadDocument,
  secret: Uint8Array,
) {
  const documents = createClientDocuments(clock, readDocument);
  const isClient = (clientId: string): boolean =>
    isDocumentId(clientId) || readClientId(secret, clientId) !== null;

  return {
    /** Registers a public client from its self-description (RFC 7591), of which nothing is stored. */
    register(metadata: unknown): Client | MetadataFault {
      const read = readClientMetadata(metadata);
      if ("error" in read) return read;
      const clientId = clientIdOf(secret, read);
      return typeof clientId === "string" ? { ...read, clientId } : clientId;
    },

    documents,

    /** The client with an id, or why there is none. */
    async client(clientId: string): Promise<Client | "client" | DocumentFault> {
      const found = isDocumentId(clientId)
        ? await documents.client(clientId)
        : (readClientId(secret, clientId) ?? "client");
      return typeof found === "string" ? found : { ...found, clientId };
    },

    /** Grants a client access on behalf of a member. @returns the code to be exchanged for tokens */
    async grant(request: AuthorizationRequest, memberId: number): Promise<string> {
      const code = createOAuthToken("code", random);
      const { client, redirectUri, challenge } = request;
      const { clientId, name: clientName } = client;
      await changes.addOAuthCode({
        code,
        clientId,
        clientName,
        memberId,
        redirectUri,
        challenge,
      });
      return code;
    },

    async exchange(form: Record<string, string>): Promise<TokenAnswer> {
      const { client_id: clientId } = form;
      if (clientId !== undefined && !isClient(clientId)) {
        const body = { error: "invalid_client", error_description: "There is no such client." };
        return { status: 400, body };
      }
      return changes.exchangeToken({
        form,
        secrets: {
          accessToken: createOAuthToken("access", random),
          refreshToken: createOAuthToken("refresh", random),
          keyToken: createKeyToken("read_only", random),
        },
      });
    },

    /**
     * Ends the grant of an access or refresh token (RFC 7009); writes only if the token belongs to this
     * client.
     * @returns whether the client exists and owns the token
     */
    async revoke(
      token: string,
      clientId: string,
    ): Promise<{ hasClient: boolean; hasToken: boolean }> {
      if (!isClient(clientId)) return { hasClient: false, hasToken: false };
      const isToken = isOAuthToken("access", token) || isOAuthToken("refresh", token);
      const found = isToken ? await selectToken(db, hashKeyToken(token)) : undefined;
      const hasToken = found?.grant.clientHash.equals(clientHash(clientId)) === true;
      if (hasToken) await changes.revokeOAuthToken({ token, clientId });
      return { hasClient: true, hasToken };
    },

    grants: async (organizationId: number): Promise<Grant[]> =>
      selectGrants(db, { organizationId, nowMs: clock.now() }),
  };
}
