import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlanCode, StoredOffer } from "./plan.ts";

export const plans = sqliteTable("plans", {
  code: text("code").$type<PlanCode>().primaryKey(),
  position: integer("position").notNull(),
  requestsPerSecond: integer("requests_per_second").notNull(),
  requestsPerPeriod: integer("requests_per_period").notNull(),
  posts: integer("posts", { mode: "boolean" }).notNull(),
  /** Days of statistics that may be read; null for all. */
  historyDays: integer("history_days"),
  /** Whether it includes bulk export. */
  exports: integer("exports", { mode: "boolean" }).notNull(),
  webhooks: integer("webhooks").notNull(),
  webhookChannels: integer("webhook_channels").notNull(),
  alerts: integer("alerts").notNull().default(0),
  /** How it is offered (plan.ts). */
  offer: text("offer", { mode: "json" }).$type<StoredOffer>().notNull().default({}),
  /** Processor time of reading threads that an organization's work may take per second. */
  databaseMsPerSecond: integer("database_ms_per_second").notNull().default(250),
  /** Time per second for which an organization's work may hold the write lock. */
  lockMsPerSecond: integer("lock_ms_per_second").notNull().default(50),
});

export const organizations = sqliteTable("organizations", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  /** As `searchName` makes it. */
  searchName: text("search_name").notNull(),
  plan: text("plan").$type<PlanCode>().notNull(),
  planStartedAt: integer("plan_started_at").notNull(),
  planEndsAt: integer("plan_ends_at"),
  createdAt: integer("created_at").notNull(),
  archivedAt: integer("archived_at"),
});

/** Customers' open requests for another plan. */
export const planRequests = sqliteTable("plan_requests", {
  organizationId: integer("organization_id").primaryKey(),
  plan: text("plan").$type<PlanCode>().notNull(),
  note: text("note").notNull(),
  /** E-mail address of who asks. */
  person: text("person").notNull(),
  createdAt: integer("created_at").notNull(),
});

export const MEMBER_ROLES = ["owner", "administrator", "member"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const members = sqliteTable("members", {
  id: integer("id").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  email: text("email").notNull(),
  name: text("name").notNull(),
  role: text("role").$type<MemberRole>().notNull(),
  createdAt: integer("created_at").notNull(),
  suspendedAt: integer("suspended_at"),
});

export type Plan = typeof plans.$inferSelect;
export type Organization = typeof organizations.$inferSelect;
export type PlanRequest = typeof planRequests.$inferSelect;
export type Member = typeof members.$inferSelect;
