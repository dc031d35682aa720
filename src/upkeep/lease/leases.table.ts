import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Work that a single process does for all. */
export const leases = sqliteTable("leases", {
  name: text("name").$type<"upkeep">().primaryKey(),
  /** The process that holds it; null if none does. */
  owner: text("owner"),
  /** Time of that process's last heartbeat. */
  heartbeatAt: integer("heartbeat_at").notNull(),
});

export type Lease = typeof leases.$inferSelect;
