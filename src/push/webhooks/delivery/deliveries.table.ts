import { sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { OperatorEvent } from "../../../customers/operator-events/operator-events.table.ts";
import type { DeliveryState, EventKind } from "../events/event-body.ts";

/** Deliveries: one row for each event and webhook. */
export const webhookDeliveries = sqliteTable("webhook_deliveries", {
  id: integer("id").primaryKey(),
  webhookId: integer("webhook_id").notNull(),
  event: text("event").$type<EventKind | OperatorEvent>().notNull(),
  /** Numbers of its posts. */
  posts: text("posts", { mode: "json" }).$type<readonly number[]>().notNull(),
  createdAt: integer("created_at").notNull(),
  state: text("state").$type<DeliveryState>().notNull(),
  /** Number of scheduled attempts that failed. */
  failures: integer("failures").notNull().default(0),
  /** When the next scheduled attempt is due; null if none is to come. */
  nextAttemptAt: integer("next_attempt_at"),
  /** Identifies the attempt in progress, and when its claim expires; both null if there is none. */
  claim: text("claim"),
  claimedUntil: integer("claimed_until"),
  /** The alert that its posts match; null for other events. It may have been deleted. */
  alertId: integer("alert_id"),
});

export type Delivery = typeof webhookDeliveries.$inferSelect;

/** SQLite uses the index of pending deliveries only for statements with this literal condition. */
export const isPending = sql`${webhookDeliveries.state} = 'pending'`;

/** Bodies of deliveries, byte for byte as sent. */
export const webhookBodies = sqliteTable("webhook_bodies", {
  deliveryId: integer("delivery_id").primaryKey(),
  body: text("body").notNull(),
});

/** Attempts that have ended. */
export const webhookAttempts = sqliteTable("webhook_attempts", {
  id: integer("id").primaryKey(),
  deliveryId: integer("delivery_id").notNull(),
  attemptedAt: integer("attempted_at").notNull(),
  /** HTTP status; null if there was no response. */
  status: integer("status"),
  /** Empty if it succeeded. */
  error: text("error").notNull(),
  durationMs: integer("duration_ms").notNull(),
});
