import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
