import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Posts of watched channels in the order they were read, queued until they are put into events. */
export const readPosts = sqliteTable("read_posts", {
  sequence: integer("sequence").primaryKey(),
  postId: integer("post_id").notNull(),
});

/** A single row with the times of the work on a timer. */
export const webhookLook = sqliteTable("webhook_look", {
  /** When a batch of posts was last begun to be put into events. */
  batchedAt: integer("batched_at").notNull(),
  /** Last heartbeat of any process that does this work; null for none yet. */
  lookedAt: integer("looked_at"),
  /** Until when the attempts that became due while no process was running were spread afterwards. */
  overdueUntil: integer("overdue_until").notNull(),
  /** Until when ends of plans have become events of the operator. */
  plansCheckedAt: integer("plans_checked_at").notNull(),
});

export type WebhookTimes = typeof webhookLook.$inferSelect;
