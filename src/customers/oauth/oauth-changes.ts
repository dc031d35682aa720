import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { hashKeyToken } from "../keys/key-token.ts";
import type { ClientMetadata } from "./client-metadata.ts";
import { endGrant } from "./end-grant.ts";
import { exchangeToken } from "./exchange-token.ts";
import { insertCode, putClient, selectToken } from "./oauth.store.ts";
import type { OAuthClient, OAuthCode } from "./oauth.table.ts";

/** How long a code is valid. */
const CODE_MS = 60_000;

/** Changes of clients, codes and grants, one transaction each. */
export const oauthChanges = { saveOAuthClient, addOAuthCode, exchangeToken, revokeOAuthToken };

export type OAuthChanges = Calls<typeof oauthChanges>;

function saveOAuthClient(
  db: Database,
  clock: Clock,
  { clientId, name, redirectUris }: ClientMetadata & { clientId: string },
): Promise<OAuthClient> {
  return inTransaction(db, clock, "oauth-client", (tx) =>
    putClient(tx, { clientId, name, redirectUris, readAt: clock.now() }),
  );
}

/** The grant that a code stands for: a member gave a client access. */
type GrantedCode = Pick<OAuthCode, "clientId" | "memberId" | "redirectUri" | "challenge">;

function addOAuthCode(
  db: Database,
  clock: Clock,
  { code, ...row }: { code: string } & GrantedCode,
): Promise<void> {
  return inTransaction(db, clock, "oauth-code", (tx) =>
    insertCode(tx, { ...row, hash: hashKeyToken(code), expiresAt: clock.now() + CODE_MS }),
  );
}

/** Ends the grant of this client's access or refresh token (RFC 7009); does nothing for any other text. */
function revokeOAuthToken(
  db: Database,
  clock: Clock,
  { token, clientId }: { token: string; clientId: number },
): Promise<void> {
  return inTransaction(db, clock, "oauth-revoke", async (tx) => {
    const found = await selectToken(tx, hashKeyToken(token));
    if (found === undefined || found.grant.clientId !== clientId) return;
    await endGrant(tx, clock, found, "client");
  });
}
