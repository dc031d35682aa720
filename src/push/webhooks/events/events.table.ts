import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Posts of watched channels in the order they were read, queued until they are put into events. */
export const readPosts = sqliteTable("read_posts", {
  sequence: integer("sequence").primaryKey(),
  postId: integer("post_id").notNull(),
});

/** A single row with the times of the timer's work. */
export const webhookLook = sqliteTable("webhook_look", {
  /** When events were last created. */
  batchedAt: integer("batched_at").notNull(),
  /** When a process last recorded that it looks; null for never. */
  lookedAt: integer("looked_at"),
  /** When all attempts that became due while no process looked will have been made. */
  overdueUntil: integer("overdue_until").notNull(),
});

export type Look = typeof webhookLook.$inferSelect;
