import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";

/** Units used by an organization in the period that started at an instant. */
export const usagePeriods = sqliteTable(
  "usage_periods",
  {
    organizationId: integer("organization_id").notNull(),
    startedAt: integer("started_at").notNull(),
    used: integer("used").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.startedAt] })],
);
