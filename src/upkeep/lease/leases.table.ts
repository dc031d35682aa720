import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Work that one process does for all of them. */
export const leases = sqliteTable("leases", {
  name: text("name").$type<"upkeep">().primaryKey(),
  /** The process that has it; null where none does. */
  owner: text("owner"),
  /** When that process last said that it goes on. */
  heartbeatAt: integer("heartbeat_at").notNull(),
});

export type Lease = typeof leases.$inferSelect;
