import type { Database } from "../../db/database.ts";
import type { Ports } from "../../ports/ports.ts";
import { createKeyToken, hashKeyToken } from "../keys/key-token.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import {
  DOCUMENT_KEPT_MS,
  isDocumentId,
  type ReadDocument,
  readClientDocument,
} from "./client-document.ts";
import { type MetadataFault, readClientMetadata } from "./client-metadata.ts";
import type { TokenAnswer } from "./exchange-token.ts";
import { type Grant, selectClient, selectGrants, selectToken } from "./oauth.store.ts";
import type { OAuthClient } from "./oauth.table.ts";
import type { OAuthChanges } from "./oauth-changes.ts";
import { createOAuthToken, isOAuthToken } from "./oauth-token.ts";

export type OAuth = ReturnType<typeof createOAuth>;

const CLIENT_ID_BYTES = 16;

/**
 * Access for assistants that are configured with nothing but an address (OAuth 2.1; the MCP authorization
 * specification).
 * @param db for reading clients and grants
 * @param changes run on a writing connection
 * @param readDocument reads the document of a client whose id is an address
 */
export function createOAuth(
  db: Database,
  changes: OAuthChanges,
  { clock, random }: Pick<Ports, "clock" | "random">,
  readDocument: ReadDocument,
) {
  return {
    /** Registers a public client from its self-description (RFC 7591). */
    async register(metadata: unknown): Promise<OAuthClient | MetadataFault> {
      const read = readClientMetadata(metadata);
      if ("error" in read) return read;
      const clientId = Buffer.from(random.bytes(CLIENT_ID_BYTES)).toString("base64url");
      return changes.saveOAuthClient({ ...read, clientId });
    },

    /**
     * The client with an id; null if there is none. A document is reread after an hour, and while that
     * fails, the client counts as unknown.
     */
    async client(clientId: string): Promise<OAuthClient | null> {
      const stored = await selectClient(db, clientId);
      if (!isDocumentId(clientId)) return stored ?? null;
      if (stored !== undefined && clock.now() - stored.readAt < DOCUMENT_KEPT_MS) return stored;
      const json = await readDocument(clientId);
      const read = json === null ? null : readClientDocument(clientId, json);
      return read === null ? null : changes.saveOAuthClient({ ...read, clientId });
    },

    /** Grants a client access on behalf of a member. @returns the code to be exchanged for tokens */
    async grant(request: AuthorizationRequest, memberId: number): Promise<string> {
      const code = createOAuthToken("code", random);
      const { client, redirectUri, challenge } = request;
      const clientId = client.id;
      await changes.addOAuthCode({ code, clientId, memberId, redirectUri, challenge });
      return code;
    },

    exchange: (form: Record<string, string>): Promise<TokenAnswer> =>
      changes.exchangeToken({
        form,
        secrets: {
          accessToken: createOAuthToken("access", random),
          refreshToken: createOAuthToken("refresh", random),
          keyToken: createKeyToken("read_only", random),
        },
      }),

    /**
     * Ends the grant of an access or refresh token (RFC 7009); writes only if the token belongs to this
     * client.
     * @returns whether the client exists and owns the token
     */
    async revoke(
      token: string,
      clientId: string,
    ): Promise<{ hasClient: boolean; hasToken: boolean }> {
      const client = await selectClient(db, clientId);
      if (client === undefined) return { hasClient: false, hasToken: false };
      const isToken = isOAuthToken("access", token) || isOAuthToken("refresh", token);
      const found = isToken ? await selectToken(db, hashKeyToken(token)) : undefined;
      const hasToken = found?.grant.clientId === client.id;
      if (hasToken) await changes.revokeOAuthToken({ token, clientId: client.id });
      return { hasClient: true, hasToken };
    },

    /** Grants in force, of all the organization's members. */
    grants: (organizationId: number): Promise<Grant[]> =>
      selectGrants(db, organizationId, clock.now()),
  };
}
