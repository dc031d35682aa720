import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const DISABLED_REASONS = ["", "failures", "customer", "staff"] as const;
/** Empty while the webhook is active. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const webhooks = sqliteTable("webhooks", {
  id: integer("id").primaryKey(),
  /** Null for an address of the operator's own, which gets the appliance's events. */
  organizationId: integer("organization_id"),
  url: text("url").notNull(),
  /** Signing secret, sealed (secret-box.ts). */
  secret: blob("secret", { mode: "buffer" }).notNull(),
  /** The previous secret, sealed, and until when it signs too; null if it does not. */
  formerSecret: blob("former_secret", { mode: "buffer" }),
  formerSecretUntil: integer("former_secret_until"),
  disabledReason: text("disabled_reason").$type<DisabledReason>().notNull(),
  /** Only posts read after this are sent. */
  sinceSequence: integer("since_sequence").notNull(),
  /** End of the first failed attempt since the last success; null while it is not failing. */
  failingSince: integer("failing_since"),
  /** How long of that time no process was running. */
  downMs: integer("down_ms").notNull(),
  lastSuccessAt: integer("last_success_at"),
  /** Duration of the last attempt; null if there was none. */
  lastDurationMs: integer("last_duration_ms"),
  /** English text of the last failure, kept after successes; empty if there was none. */
  lastError: text("last_error").notNull(),
  /** Why staff disabled it; visible to staff only. */
  staffNote: text("staff_note").notNull().default(""),
  /** When the last ping was requested. */
  testedAt: integer("tested_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export type Webhook = typeof webhooks.$inferSelect;

export interface CustomersWebhook extends Webhook {
  organizationId: number;
}

/**
 * Numbers of the channels that each webhook watches, in the order in which its owner listed them. The rows
 * of `webhook_channels` contain the same by channel.
 */
export const webhookLists = sqliteTable("webhook_lists", {
  webhookId: integer("webhook_id").primaryKey(),
  channels: text("channels", { mode: "json" }).$type<number[]>().notNull(),
});

/** Webhooks whose rows are being changed to their list; and the list by which events are made meanwhile. */
export const changingLists = sqliteTable("changing_lists", {
  webhookId: integer("webhook_id").primaryKey(),
  served: text("served", { mode: "json" }).$type<number[]>().notNull(),
});

/** Pings and resends of the last minute, by host. */
export const manualAttempts = sqliteTable("manual_attempts", {
  organizationId: integer("organization_id").notNull(),
  host: text("host").notNull(),
  attemptedAt: integer("attempted_at").notNull(),
});
