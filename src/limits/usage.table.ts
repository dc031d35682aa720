import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

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

/** Requests and units by Moscow day, method, key and status. */
export const usageDays = sqliteTable(
  "usage_days",
  {
    organizationId: integer("organization_id").notNull(),
    /** Days since 1970-01-01. */
    day: integer("day").notNull(),
    /** Operation id. */
    method: text("method").notNull(),
    keyId: integer("key_id").notNull(),
    status: integer("status").notNull(),
    requests: integer("requests").notNull(),
    units: integer("units").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.day, table.method, table.keyId, table.status],
    }),
  ],
);
