import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/*
 * People who can sign in. The library better-auth also writes the first four tables, under the names set in
 * auth.ts; its times are texts.
 */

export const people = sqliteTable("people", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  email: text("email").notNull(),
  isVerified: integer("email_verified", { mode: "boolean" }).notNull(),
  /** Whether the latest password link went to the mailbox, or was created by staff. */
  linkIsTrusted: integer("link_is_trusted", { mode: "boolean" }).notNull().default(false),
  image: text("image"),
  isStaff: integer("is_staff", { mode: "boolean" }).notNull().default(false),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
});

export const sessions = sqliteTable("sessions", {
  id: text("id").primaryKey(),
  token: text("token").notNull(),
  personId: text("person_id").notNull(),
  expiresAt: text("expires_at").notNull(),
  ipAddress: text("ip_address"),
  userAgent: text("user_agent"),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
});

export const credentials = sqliteTable("credentials", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  providerId: text("provider_id").notNull(),
  personId: text("person_id").notNull(),
  accessToken: text("access_token"),
  refreshToken: text("refresh_token"),
  idToken: text("id_token"),
  accessTokenExpiresAt: text("access_token_expires_at"),
  refreshTokenExpiresAt: text("refresh_token_expires_at"),
  scope: text("scope"),
  /** The password's hash; null until one is chosen. */
  password: text("password"),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
});

/** Password links that have not been used. */
export const verifications = sqliteTable("verifications", {
  id: text("id").primaryKey(),
  identifier: text("identifier").notNull(),
  value: text("value").notNull(),
  expiresAt: text("expires_at").notNull(),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
});

export const knownNetworks = sqliteTable(
  "known_networks",
  {
    personId: text("person_id").notNull(),
    /** A keyed hash. */
    network: blob("network", { mode: "buffer" }).notNull(),
    signedInAt: integer("signed_in_at").notNull(),
  },
  ({ personId, network }) => [primaryKey({ columns: [personId, network] })],
);
