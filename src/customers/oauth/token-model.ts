import type {
  AuthorizationCode,
  Client,
  RefreshToken,
  Token,
  User,
} from "@node-oauth/oauth2-server";
import type { Transaction } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Random } from "../../ports/ports.ts";
import { isActive } from "../accounts/accounts.ts";
import { insertRecordedKey, revokeRecorded } from "../keys/key-changes.ts";
import { createToken, hasChecksum, hashKeyToken } from "../keys/key-token.ts";
import { type Key, selectKey, updateExpiry } from "../keys/keys.store.ts";
import type { AccessTokens } from "../keys/keys.ts";
import { clientHash, hostOf } from "./client-metadata.ts";
import type { FoundCode, FoundToken } from "./oauth.store.ts";
import {
  insertGrant,
  insertToken,
  selectAccessHolderNow,
  selectCode,
  selectToken,
  updateCode,
  updateTokenUsed,
} from "./oauth.store.ts";

export const ACCESS_TOKEN_S = 60 * 60;
export const REFRESH_TOKEN_S = 30 * 24 * 60 * 60;
/** How long a used refresh token still works: sessions of one client share it, and refresh at once. */
const RACE_MS = 60_000;

export const SCOPE = "read";

/**
 * Expiry reported to the library, which would compare the real one with the machine's clock;
 * `usable-once.ts` checks that instead.
 */
const NOT_ENDED = new Date(8.64e15);

/** Secrets generated beforehand, because threads have no source of randomness. */
export interface NewSecrets {
  accessToken: string;
  refreshToken: string;
  /** Never given to anybody: a grant's key is only used through access tokens. */
  keyToken: string;
}

/** The grant that a token is issued for: a new one from a code, or that of a refresh token. */
type Granted = { found: FoundCode } | { found: FoundToken };

/** The storage that the library requires, within one transaction. */
export function tokenModel(tx: Transaction, clock: Clock, secrets: NewSecrets) {
  const nowMs = clock.now();
  return {
    // Whether the id is a client's has been checked; what it may exchange, its hash tells.
    getClient: async (clientId: string): Promise<Client> => ({
      id: clientHash(clientId).toString("hex"),
      grants: ["authorization_code", "refresh_token"],
    }),

    generateAccessToken: async () => secrets.accessToken,
    generateRefreshToken: async () => secrets.refreshToken,

    async getAuthorizationCode(given: string): Promise<AuthorizationCode | null> {
      const found = await usableCode(tx, clock, given);
      if (found === null) return null;
      const { code } = found;
      return {
        authorizationCode: given,
        expiresAt: NOT_ENDED,
        redirectUri: code.redirectUri,
        codeChallenge: code.challenge,
        codeChallengeMethod: "S256",
        scope: [SCOPE],
        client: { id: code.clientHash.toString("hex"), grants: [] },
        user: { found } satisfies Granted,
      };
    },

    async revokeAuthorizationCode({ user }: AuthorizationCode): Promise<boolean> {
      await updateCode(tx, (user["found"] as FoundCode).code.hash, { usedAt: nowMs });
      return true;
    },

    async getRefreshToken(given: string): Promise<RefreshToken | null> {
      const found = await usableRefreshToken(tx, clock, given);
      if (found === null) return null;
      return {
        refreshToken: given,
        refreshTokenExpiresAt: NOT_ENDED,
        scope: [SCOPE],
        client: { id: found.grant.clientHash.toString("hex"), grants: [] },
        user: { found } satisfies Granted,
      };
    },

    async revokeToken({ user }: RefreshToken): Promise<boolean> {
      await updateTokenUsed(tx, (user["found"] as FoundToken).token.hash, nowMs);
      return true;
    },

    async saveToken(token: Token, client: Client, user: User): Promise<Token> {
      const { found } = user as Granted;
      const keyId = "code" in found ? await makeGrant(tx, clock, found, secrets) : found.key.id;
      await issueTokens(tx, keyId, secrets, nowMs);
      return { ...token, client, user };
    },

    // Needed by the library only for guarding requests, which it does not do here.
    getAccessToken: async () => null,
    saveAuthorizationCode: async () => null,
  };
}

/** @returns the number of the grant's key */
async function makeGrant(
  tx: Transaction,
  clock: Clock,
  { code, member }: FoundCode,
  { keyToken: token }: NewSecrets,
): Promise<number> {
  const expiresAt = clock.now() + REFRESH_TOKEN_S * 1000;
  const key = await insertRecordedKey(
    tx,
    clock,
    {
      memberId: member.id,
      name: code.clientName,
      access: "read_only",
      expiresAt,
      prefix: GRANT_PREFIX,
      token,
    },
    { person: member.email, keyId: null },
  );
  const host = hostOf(code.redirectUri);
  await insertGrant(tx, { keyId: key.id, clientHash: code.clientHash, host });
  await updateCode(tx, code.hash, { keyId: key.id });
  return key.id;
}

/** The grant's key expires together with the new refresh token. */
async function issueTokens(
  tx: Transaction,
  keyId: number,
  { accessToken, refreshToken }: NewSecrets,
  nowMs: number,
): Promise<void> {
  const endsAt = nowMs + REFRESH_TOKEN_S * 1000;
  const access = { hash: hashKeyToken(accessToken), keyId, kind: "access" } as const;
  await insertToken(tx, { ...access, expiresAt: nowMs + ACCESS_TOKEN_S * 1000 });
  const refresh = { hash: hashKeyToken(refreshToken), keyId, kind: "refresh" } as const;
  await insertToken(tx, { ...refresh, expiresAt: endsAt });
  await updateExpiry(tx, keyId, endsAt);
}

/** OAuth access tokens, each of which stands for the key of its grant. */
export const accessTokens: AccessTokens = {
  isToken: (text) => isOAuthToken("access", text),
  selectHolderNow: selectAccessHolderNow,
};

/**
 * Codes and refresh tokens are valid once. Using one again ends its grant, because it may have been stolen
 * (RFC 9700, sections 2.1.1 and 4.14). A refresh token that is used again within the minute gives tokens of
 * their own, its refresh token included: a client that got none would go on with the used one.
 */

/** Finds a code that can be used now; null otherwise. A used one ends its grant. */
async function usableCode(tx: Transaction, clock: Clock, given: string): Promise<FoundCode | null> {
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

/** Finds a refresh token that can be used now; null otherwise. One used long ago ends its grant. */
async function usableRefreshToken(
  tx: Transaction,
  clock: Clock,
  given: string,
): Promise<FoundToken | null> {
  if (!isOAuthToken("refresh", given)) return null;
  const found = await selectToken(tx, hashKeyToken(given));
  if (found === undefined) return null;
  const { token, key } = found;
  if (token.usedAt !== null && clock.now() - token.usedAt >= RACE_MS) {
    await endGrant(tx, clock, found, "replay");
    return null;
  }
  const holds = clock.now() < token.expiresAt && key.revokedAt === null && isActive(found);
  return holds ? found : null;
}

/**
 * Revokes a grant's key, once, with a reason for the audit log.
 * @param reason the client revoked it; or a code or refresh token was used again, and so may have been
 * stolen
 */
export async function endGrant(
  tx: Transaction,
  clock: Clock,
  { key, member }: { key: Key; member: { email: string } },
  reason: "client" | "replay",
): Promise<void> {
  await revokeRecorded(tx, clock, key.id, { person: member.email, keyId: key.id }, { reason });
}

/**
 * OAuth secrets, formatted like keys but with prefixes of their own: each is valid for one purpose only,
 * and scanners for leaked keys recognize them.
 */
const PREFIXES = { access: "knl_oa_", refresh: "knl_or_", code: "knl_oc_" } as const;

type TokenKind = keyof typeof PREFIXES;

const FORM = /^knl_o[arc]_[0-9A-Za-z]{38}$/;

/** Prefix of a grant's tokens, shown in place of a key's. */
export const GRANT_PREFIX = PREFIXES.access;

export function createOAuthToken(kind: TokenKind, random: Random): string {
  return createToken(PREFIXES[kind], random);
}

/** Whether a text has the format of such a secret; a mistyped or truncated one needs no lookup. */
export function isOAuthToken(kind: TokenKind, text: string): boolean {
  return text.startsWith(PREFIXES[kind]) && FORM.test(text) && hasChecksum(text);
}
