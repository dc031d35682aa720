import type { Calls } from "../../db/operations.ts";
import { transaction } from "../../db/transaction.ts";
import { hashKeyToken } from "../keys/key-token.ts";
import { clientHash } from "./client-id.ts";
import { endGrant } from "./end-grant.ts";
import { exchangeToken } from "./exchange-token.ts";
import { insertCode, selectToken } from "./oauth.store.ts";
import type { OAuthCode } from "./oauth.table.ts";

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
