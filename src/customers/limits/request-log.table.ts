import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The last requests of each key, as its owner looks at them. */
export const requestLog = sqliteTable("request_log", {
  id: integer("id").primaryKey(),
  keyId: integer("key_id").notNull(),
  at: integer("at").notNull(),
  verb: text("verb").notNull(),
  path: text("path").notNull(),
  status: integer("status").notNull(),
  durationUs: integer("duration_us").notNull(),
  units: integer("units").notNull(),
});
