import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { hashKeyToken } from "../keys/key-token.ts";
import { clientHash } from "./client-metadata.ts";
import { insertCode, type OAuthCode, selectToken } from "./oauth.store.ts";
import type { NewSecrets } from "./token-model.ts";
import { ACCESS_TOKEN_S, endGrant, REFRESH_TOKEN_S, tokenModel } from "./token-model.ts";

const CODE_MS = 60_000;

export type OAuthChanges = Calls<typeof oauthChanges>;

/** The grant that a code stands for: a member gave a client access. */
type GrantedCode = Pick<OAuthCode, "clientName" | "memberId" | "redirectUri" | "challenge">;

const addOAuthCode = transaction(
  "oauth-code",
  (tx, clock, { code, clientId, ...row }: { code: string; clientId: string } & GrantedCode) =>
    insertCode(tx, {
      ...row,
      clientHash: clientHash(clientId),
      hash: hashKeyToken(code),
      expiresAt: clock.now() + CODE_MS,
    }),
);

/** Ends the grant of this client's access or refresh token (RFC 7009); does nothing for any other text. */
const revokeOAuthToken = transaction(
  "oauth-revoke",
  async (tx, clock, { token, clientId }: { token: string; clientId: string }) => {
    const found = await selectToken(tx, hashKeyToken(token));
    if (found === undefined || !found.grant.clientHash.equals(clientHash(clientId))) return;
    await endGrant(tx, clock, found, "client");
  },
);

export const oauthChanges = { addOAuthCode, exchangeToken, revokeOAuthToken };

/** Response of the token endpoint: a token, or an error of RFC 6749, section 5.2. */
export interface TokenAnswer {
  status: number;
  body: Record<string, unknown>;
}

/**
 * Exchanges a code or a refresh token (RFC 6749, sections 4.1.3 and 6; RFC 7636). The library decides, in
 * one transaction: the code or refresh token is used up together with its exchange, and a code also if its
 * verifier or address turns out to be wrong.
 * @param form fields of the request
 */
export async function exchangeToken(
  db: Database,
  clock: Clock,
  { form, secrets }: { form: Record<string, string>; secrets: NewSecrets },
): Promise<TokenAnswer> {
  // Loaded lazily, because most threads do not need it.
  const library = (await import("@node-oauth/oauth2-server")).default;
  const request = new library.Request({
    method: "POST",
    query: {},
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      // The library reads a body only if a length is given.
      "content-length": "1",
    },
    body: form,
  });
  return inTransaction(db, clock, "oauth-token", async (tx) => {
    const server = new library({
      model: tokenModel(tx, clock, secrets),
      accessTokenLifetime: ACCESS_TOKEN_S,
      refreshTokenLifetime: REFRESH_TOKEN_S,
      // Clients are public; PKCE and token rotation protect them.
      requireClientAuthentication: { authorization_code: false, refresh_token: false },
    });
    const response = new library.Response({ headers: {} });
    try {
      await server.token(request, response);
    } catch (error) {
      if (!(error instanceof library.OAuthError) || error instanceof library.ServerError) {
        // A fault of the storage or of this program, wrapped by the library: everything is rolled back.
        throw (error as { inner?: unknown }).inner ?? error;
      }
      return { status: error.code, body: { ...response.body } };
    }
    // The library would compute this from the machine's clock.
    return { status: 200, body: { ...response.body, expires_in: ACCESS_TOKEN_S } };
  });
}
