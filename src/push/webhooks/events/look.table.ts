import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** What is kept of the time that webhooks live by: one row. */
export const webhookLook = sqliteTable("webhook_look", {
  /** When events were cut last. */
  batchedAt: integer("batched_at").notNull(),
  /** When a process last noted that it looks; null: never. */
  lookedAt: integer("looked_at"),
  /** What fell due while nobody looked is attempted by then. */
  overdueUntil: integer("overdue_until").notNull(),
});

export type Look = typeof webhookLook.$inferSelect;
