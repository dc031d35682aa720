import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Pings and resends of the last minute. */
export const manualAttempts = sqliteTable("manual_attempts", {
  organizationId: integer("organization_id").notNull(),
  host: text("host").notNull(),
  attemptedAt: integer("attempted_at").notNull(),
});
