import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const signUps = sqliteTable("sign_ups", {
  tokenHash: blob("token_hash", { mode: "buffer" }).primaryKey(),
  /** Address in lower case. */
  email: text("email").notNull(),
  expiresAt: integer("expires_at").notNull(),
});
