import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Day } from "../../values/moscow-time.ts";

export const usageDays = sqliteTable(
  "usage_days",
  {
    organizationId: integer("organization_id").notNull(),
    day: integer("day").$type<Day>().notNull(),
    method: text("method").notNull(),
    keyId: integer("key_id").notNull(),
    status: integer("status").notNull(),
    requests: integer("requests").notNull(),
    units: integer("units").notNull(),
  },
  ({ organizationId, day, method, keyId, status }) => [
    primaryKey({ columns: [organizationId, day, method, keyId, status] }),
  ],
);
