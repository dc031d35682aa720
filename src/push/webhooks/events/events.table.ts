import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Posts of watched channels in the order they were read, until they are cut into events. */
export const readPosts = sqliteTable("read_posts", {
  sequence: integer("sequence").primaryKey(),
  postId: integer("post_id").notNull(),
});

/** The one row of times by which webhooks are looked after. */
export const webhookLook = sqliteTable("webhook_look", {
  /** When events were cut last. */
  batchedAt: integer("batched_at").notNull(),
  /** When a process last noted that it looks; null: never. */
  lookedAt: integer("looked_at"),
  /** Attempts that fell due while no process looked are made by then. */
  overdueUntil: integer("overdue_until").notNull(),
});

export type Look = typeof webhookLook.$inferSelect;
