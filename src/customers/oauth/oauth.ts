import type { Database } from "../../db/database.ts";
import type { Ports } from "../../ports/ports.ts";
import { createKeyToken, hashKeyToken } from "../keys/key-token.ts";
import type { AuthorizationRequest, Client } from "./authorization-request.ts";
import {
  createClientDocuments,
  type DocumentFault,
  type ReadDocument,
} from "./client-documents.ts";
import {
  clientHash,
  clientIdOf,
  isDocumentId,
  type MetadataFault,
  readClientId,
  readClientMetadata,
} from "./client-metadata.ts";
import { type Grant, selectGrants, selectToken } from "./oauth.store.ts";
import type { OAuthChanges, TokenAnswer } from "./oauth-changes.ts";
import { createOAuthToken, isOAuthToken } from "./token-model.ts";

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
