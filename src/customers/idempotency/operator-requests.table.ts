import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const operatorRequests = sqliteTable(
  "operator_requests",
  {
    keyId: integer("key_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    request: text("request").notNull(),
    startedAt: integer("started_at").notNull(),
    isDone: integer("is_done", { mode: "boolean" }).notNull().default(false),
    status: integer("status"),
    body: blob("body", { mode: "buffer" }),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.idempotencyKey] })],
);

export type OperatorRequest = typeof operatorRequests.$inferSelect;
