import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AuditRecord } from "./audit-log.ts";

export const auditLog = sqliteTable("audit_log", {
  id: integer("id").primaryKey(),
  at: integer("at").notNull(),
  person: text("person").notNull(),
  organizationId: integer("organization_id"),
  action: text("action").notNull(),
  target: text("target").notNull(),
  details: text("details", { mode: "json" }).$type<AuditRecord["details"]>().notNull(),
});
