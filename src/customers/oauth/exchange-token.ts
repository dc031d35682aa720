import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { ACCESS_TOKEN_S, type NewSecrets, REFRESH_TOKEN_S, tokenModel } from "./token-model.ts";

/** An answer of the token endpoint: a token, or an error of RFC 6749, section 5.2. */
export interface TokenAnswer {
  status: number;
  body: Record<string, unknown>;
}

/**
 * Exchanges a code or a refresh token (RFC 6749, sections 4.1.3 and 6; RFC 7636). The library decides, in
 * one transaction: a code or refresh token is used up along with what it is exchanged for, and where it is
 * refused as well.
 * @param form the fields of the request
 */
export async function exchangeToken(
  db: Database,
  clock: Clock,
  { form, secrets }: { form: Record<string, string>; secrets: NewSecrets },
): Promise<TokenAnswer> {
  // Loaded when it is needed first: most threads need none of it.
  const library = (await import("@node-oauth/oauth2-server")).default;
  const request = new library.Request({
    method: "POST",
    query: {},
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      // The library looks at a body only where a length is told.
      "content-length": "1",
    },
    body: form,
  });
  return inTransaction(db, clock, "oauth-token", async (tx) => {
    const server = new library({
      model: tokenModel(tx, clock, secrets),
      accessTokenLifetime: ACCESS_TOKEN_S,
      refreshTokenLifetime: REFRESH_TOKEN_S,
      // Clients are public: what proves them is PKCE and the rotation.
      requireClientAuthentication: { authorization_code: false, refresh_token: false },
    });
    const response = new library.Response({ headers: {} });
    try {
      await server.token(request, response);
    } catch (error) {
      if (!(error instanceof library.OAuthError) || error instanceof library.ServerError) {
        // A fault of the storage or of ours, which the library has wrapped: all is rolled back.
        throw (error as { inner?: unknown }).inner ?? error;
      }
      return { status: error.code, body: { ...response.body } };
    }
    // The library reckons by the machine's clock.
    return { status: 200, body: { ...response.body, expires_in: ACCESS_TOKEN_S } };
  });
}
