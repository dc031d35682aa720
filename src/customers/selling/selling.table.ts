import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlanCode } from "../accounts/plan.ts";

/** Stripe's customer of each organization that has ever gone to its payment page. */
export const stripeCustomers = sqliteTable("stripe_customers", {
  organizationId: integer("organization_id").primaryKey(),
  customer: text("customer").notNull(),
});

/** Subscriptions at Stripe, as it last described them. */
export const stripeSubscriptions = sqliteTable("stripe_subscriptions", {
  id: text("id").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  customer: text("customer").notNull(),
  /** The plan that was paid last. */
  plan: text("plan").$type<PlanCode>().notNull(),
  status: text("status").notNull(),
  /** Whether it was cancelled, and runs until what was paid is over. */
  isEnding: integer("is_ending", { mode: "boolean" }).notNull(),
  /** End of the latest paid period; null before the first payment. */
  paidUntil: integer("paid_until"),
  /** The plan's end that the organization got for it. */
  givenUntil: integer("given_until"),
  /** Counts its changes: a state that was fetched before the latest one is not stored. */
  version: integer("version").notNull(),
  checkedAt: integer("checked_at").notNull(),
});

/** Money that went back, by charge. */
export const stripeRefunds = sqliteTable("stripe_refunds", {
  charge: text("charge").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  /** In the currency's minor units, as Stripe counts them. */
  amount: integer("amount").notNull(),
  currency: text("currency").notNull(),
  at: integer("at").notNull(),
});

/** Events of Stripe that were carried out. */
export const stripeEvents = sqliteTable("stripe_events", {
  id: text("id").primaryKey(),
  receivedAt: integer("received_at").notNull(),
});

export type StripeSubscription = typeof stripeSubscriptions.$inferSelect;
export type StripeRefund = typeof stripeRefunds.$inferSelect;
