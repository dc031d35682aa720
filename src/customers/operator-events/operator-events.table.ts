import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Events of the appliance, until they are deliveries to the operator's addresses. */
export const operatorEvents = sqliteTable("operator_events", {
  id: integer("id").primaryKey(),
  event: text("event").$type<OperatorEvent>().notNull(),
  facts: text("facts", { mode: "json" }).$type<object>().notNull(),
  createdAt: integer("created_at").notNull(),
});

/** Names of the events, as sent in `X-Service-Event`. */
export const OPERATOR_EVENTS = [
  "organization.created",
  "member.joined",
  "quota.reached",
  "plan.ending",
  "plan.ended",
  "upgrade.requested",
  "webhook.disabled",
  "source.read",
  "source.failed",
  "source.silent",
  "import.finished",
  "backup.failed",
] as const;
export type OperatorEvent = (typeof OPERATOR_EVENTS)[number];
