import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Posts of watched channels in the order they were read, until they are cut into events. */
export const readPosts = sqliteTable("read_posts", {
  sequence: integer("sequence").primaryKey(),
  postId: integer("post_id").notNull(),
});

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
