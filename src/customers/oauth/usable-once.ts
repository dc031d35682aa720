import type { Transaction } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { isActive } from "../accounts/accounts.ts";
import { hashKeyToken } from "../keys/key-token.ts";
import { selectKey } from "../keys/keys.store.ts";
import { endGrant } from "./end-grant.ts";
import { type FoundCode, type FoundToken, selectCode, selectToken } from "./oauth.store.ts";
import { isOAuthToken } from "./oauth-token.ts";

/**
 * Codes and refresh tokens are valid once. Using one again ends its grant, because it may have been stolen
 * (RFC 9700, sections 2.1.1 and 4.14).
 */

/** Finds a code that can be used now; null otherwise. A used one ends its grant. */
export async function usableCode(
  tx: Transaction,
  clock: Clock,
  given: string,
): Promise<FoundCode | null> {
  if (!isOAuthToken("code", given)) return null;
  const found = await selectCode(tx, hashKeyToken(given));
  if (found === undefined) return null;
  const { usedAt, expiresAt, keyId } = found.code;
  if (usedAt !== null) {
    const issued = keyId === null ? undefined : await selectKey(tx, { id: keyId });
    if (issued !== undefined) await endGrant(tx, clock, { ...found, key: issued }, "replay");
    return null;
  }
  return clock.now() < expiresAt && isActive(found) ? found : null;
}

/** Finds a refresh token that can be used now; null otherwise. A used one ends its grant. */
export async function usableRefreshToken(
  tx: Transaction,
  clock: Clock,
  given: string,
): Promise<FoundToken | null> {
  if (!isOAuthToken("refresh", given)) return null;
  const found = await selectToken(tx, hashKeyToken(given));
  if (found === undefined) return null;
  const { token, key } = found;
  if (token.usedAt !== null) {
    await endGrant(tx, clock, found, "replay");
    return null;
  }
  const holds = clock.now() < token.expiresAt && key.revokedAt === null && isActive(found);
  return holds ? found : null;
}
