import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { KeyAccess } from "./key-token.ts";

export const keys = sqliteTable("keys", {
  id: integer("id").primaryKey(),
  memberId: integer("member_id").notNull(),
  name: text("name").notNull(),
  prefix: text("prefix").notNull(),
  hash: blob("hash", { mode: "buffer" }).notNull(),
  access: text("access").$type<KeyAccess>().notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  lastUsedAt: integer("last_used_at"),
  revokedAt: integer("revoked_at"),
});

/** A key without its hash, which only the store may see. */
export type Key = Omit<typeof keys.$inferSelect, "hash">;
