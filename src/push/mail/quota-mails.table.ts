import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";

/** Mails that told an organization how much of a period's quota it has used. */
export const quotaMails = sqliteTable(
  "quota_mails",
  {
    organizationId: integer("organization_id").notNull(),
    periodStartedAt: integer("period_started_at").notNull(),
    percent: integer("percent").notNull(),
  },
  ({ organizationId, periodStartedAt, percent }) => [
    primaryKey({ columns: [organizationId, periodStartedAt, percent] }),
  ],
);
