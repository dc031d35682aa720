import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database, Transaction } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import { members, organizations } from "../accounts/accounts.table.ts";
import { type Key, keyColumns, keys, toBytes } from "../keys/keys.store.ts";

/** A person's key that a client holds; it is only used through access tokens. */
export const oauthGrants = sqliteTable("oauth_grants", {
  keyId: integer("key_id").primaryKey(),
  clientHash: blob("client_hash", { mode: "buffer" }).notNull(),
  /** Host that the person was redirected to. */
  host: text("host").notNull(),
});

export const oauthCodes = sqliteTable("oauth_codes", {
  hash: blob("hash", { mode: "buffer" }).primaryKey(),
  clientHash: blob("client_hash", { mode: "buffer" }).notNull(),
  /** As the person who consented saw it. */
  clientName: text("client_name").notNull(),
  memberId: integer("member_id").notNull(),
  redirectUri: text("redirect_uri").notNull(),
  challenge: text("challenge").notNull(),
  expiresAt: integer("expires_at").notNull(),
  usedAt: integer("used_at"),
  /** Key of the grant it was exchanged for. */
  keyId: integer("key_id"),
});

export type OAuthCode = typeof oauthCodes.$inferSelect;

export const oauthTokens = sqliteTable("oauth_tokens", {
  hash: blob("hash", { mode: "buffer" }).primaryKey(),
  keyId: integer("key_id").notNull(),
  kind: text("kind").$type<"access" | "refresh">().notNull(),
  expiresAt: integer("expires_at").notNull(),
  usedAt: integer("used_at"),
});

export async function insertCode(
  tx: Transaction,
  { hash, ...row }: Omit<OAuthCode, "hash" | "usedAt" | "keyId"> & { hash: string },
): Promise<void> {
  await tx.builders.insert(oauthCodes).values({ ...row, hash: toBytes(hash) });
}

const codeByHash = query((db, { hash }: { hash: Buffer }) =>
  db
    .select({ code: oauthCodes, member: members, organization: organizations })
    .from(oauthCodes)
    .innerJoin(members, eq(members.id, oauthCodes.memberId))
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(oauthCodes.hash, hash)),
).one;

export function selectCode(db: Database, hash: string) {
  return codeByHash(db, { hash: toBytes(hash) });
}

export type FoundCode = NonNullable<Awaited<ReturnType<typeof selectCode>>>;

export async function updateCode(
  tx: Transaction,
  hash: Buffer,
  values: { usedAt: number } | { keyId: number },
): Promise<void> {
  await tx.builders.update(oauthCodes).set(values).where(eq(oauthCodes.hash, hash));
}

export async function insertGrant(
  tx: Transaction,
  grant: typeof oauthGrants.$inferSelect,
): Promise<void> {
  await tx.builders.insert(oauthGrants).values(grant);
}

export async function insertToken(
  tx: Transaction,
  row: { hash: string; keyId: number; kind: "access" | "refresh"; expiresAt: number },
): Promise<void> {
  await tx.builders.insert(oauthTokens).values({ ...row, hash: toBytes(row.hash) });
}

const tokenByHash = query((db, { hash }: { hash: Buffer }) =>
  db
    .select({
      token: oauthTokens,
      grant: oauthGrants,
      key: keyColumns,
      member: members,
      organization: organizations,
    })
    .from(oauthTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.keyId, oauthTokens.keyId))
    .innerJoin(keys, eq(keys.id, oauthTokens.keyId))
    .innerJoin(members, eq(members.id, keys.memberId))
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(oauthTokens.hash, hash)),
).one;

export function selectToken(db: Database, hash: string) {
  return tokenByHash(db, { hash: toBytes(hash) });
}

export type FoundToken = NonNullable<Awaited<ReturnType<typeof selectToken>>>;

/** Records a token's first use. */
export async function updateTokenUsed(
  tx: Transaction,
  hash: Buffer,
  usedAt: number,
): Promise<void> {
  const isUnused = and(eq(oauthTokens.hash, hash), isNull(oauthTokens.usedAt));
  await tx.builders.update(oauthTokens).set({ usedAt }).where(isUnused);
}

const accessHolder = query((db, { hash }: { hash: Buffer }) =>
  db
    .select({
      key: keyColumns,
      member: members,
      organization: organizations,
      tokenEndsAt: oauthTokens.expiresAt,
    })
    .from(oauthTokens)
    .innerJoin(keys, eq(keys.id, oauthTokens.keyId))
    .innerJoin(members, eq(members.id, keys.memberId))
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(and(eq(oauthTokens.hash, hash), eq(oauthTokens.kind, "access"))),
).one;

/** An access token's key with its member and organization, read in the tick's snapshot. */
export function selectAccessHolderNow(db: Database, hash: string) {
  return accessHolder(db, { hash: toBytes(hash) });
}

export interface Grant {
  key: Key;
  host: string;
}

export const selectGrants = query(
  (db, { organizationId, nowMs }: { organizationId: number; nowMs: number }) =>
    db
      .select({ key: keyColumns, host: oauthGrants.host })
      .from(oauthGrants)
      .innerJoin(keys, eq(keys.id, oauthGrants.keyId))
      .innerJoin(members, eq(members.id, keys.memberId))
      .where(
        and(
          eq(members.organizationId, organizationId),
          isNull(keys.revokedAt),
          sql`${keys.expiresAt} > ${nowMs}`,
        ),
      )
      .orderBy(asc(keys.id)),
).all;
