import { sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeliveryState, EventKind } from "../events/event-body.ts";

/** Deliveries: a row is one event for one webhook. */
export const webhookDeliveries = sqliteTable("webhook_deliveries", {
  id: integer("id").primaryKey(),
  webhookId: integer("webhook_id").notNull(),
  event: text("event").$type<EventKind>().notNull(),
  /** Numbers of its posts. */
  posts: text("posts", { mode: "json" }).$type<readonly number[]>().notNull(),
  createdAt: integer("created_at").notNull(),
  state: text("state").$type<DeliveryState>().notNull(),
  /** Scheduled attempts that failed. */
  failures: integer("failures").notNull().default(0),
  nextAttemptAt: integer("next_attempt_at"),
  /** Names the attempt that is under way, and until when it can be; both null where none is. */
  claim: text("claim"),
  claimedUntil: integer("claimed_until"),
  /** The alert that its posts match; null of other events. It may be deleted by now. */
  alertId: integer("alert_id"),
});

export type Delivery = typeof webhookDeliveries.$inferSelect;

/** The index of what waits is used only where a statement has this condition with the word in it. */
export const isPending = sql`${webhookDeliveries.state} = 'pending'`;

/** Bodies of deliveries, byte for byte as they are sent. */
export const webhookBodies = sqliteTable("webhook_bodies", {
  deliveryId: integer("delivery_id").primaryKey(),
  body: text("body").notNull(),
});

export const webhookAttempts = sqliteTable("webhook_attempts", {
  id: integer("id").primaryKey(),
  deliveryId: integer("delivery_id").notNull(),
  attemptedAt: integer("attempted_at").notNull(),
  /** Status of the answer; null where none came. */
  status: integer("status"),
  /** Empty where it succeeded. */
  error: text("error").notNull(),
  durationMs: integer("duration_ms").notNull(),
});
