import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const DISABLED_REASONS = ["", "failures", "customer", "staff"] as const;
/** Empty while the webhook is active. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const webhooks = sqliteTable("webhooks", {
  id: integer("id").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  url: text("url").notNull(),
  secret: blob("secret", { mode: "buffer" }).notNull(),
  formerSecret: blob("former_secret", { mode: "buffer" }),
  formerSecretUntil: integer("former_secret_until"),
  disabledReason: text("disabled_reason").$type<DisabledReason>().notNull(),
  sinceSequence: integer("since_sequence").notNull(),
  failingSince: integer("failing_since"),
  downMs: integer("down_ms").notNull(),
  lastSuccessAt: integer("last_success_at"),
  lastDurationMs: integer("last_duration_ms"),
  lastError: text("last_error").notNull(),
  /** Why staff disabled it; visible to staff only. */
  staffNote: text("staff_note").notNull().default(""),
  testedAt: integer("tested_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export type Webhook = typeof webhooks.$inferSelect;

/**
 * Numbers of the channels that each webhook watches, in the given order. The rows of `webhook_channels`
 * contain the same by channel.
 */
export const webhookLists = sqliteTable("webhook_lists", {
  webhookId: integer("webhook_id").primaryKey(),
  channels: text("channels", { mode: "json" }).$type<number[]>().notNull(),
});

/** Pings and resends of the last minute. */
export const manualAttempts = sqliteTable("manual_attempts", {
  organizationId: integer("organization_id").notNull(),
  host: text("host").notNull(),
  attemptedAt: integer("attempted_at").notNull(),
});
