import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

type Details = Record<string, string | number | boolean | null>;

export const auditLog = sqliteTable("audit_log", {
  id: integer("id").primaryKey(),
  at: integer("at").notNull(),
  /** As in `Actor`. */
  person: text("person").notNull(),
  organizationId: integer("organization_id"),
  action: text("action").notNull(),
  target: text("target").notNull(),
  details: text("details", { mode: "json" }).$type<Details>().notNull(),
});
