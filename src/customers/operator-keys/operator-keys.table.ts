import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Abilities of a key of the operator's API: to read everything, or to change what belongs to an area. */
export const ABILITIES = ["read", "customers", "data", "system"] as const;
export type Ability = (typeof ABILITIES)[number];

export const operatorKeys = sqliteTable("operator_keys", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  prefix: text("prefix").notNull(),
  hash: blob("hash", { mode: "buffer" }).notNull(),
  can: text("can", { mode: "json" }).$type<Ability[]>().notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  revokedAt: integer("revoked_at"),
});

/** A key without its hash, which only the store may see. */
export type OperatorKey = Omit<typeof operatorKeys.$inferSelect, "hash">;
