import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Message } from "../../values/messages/messages.ts";

/** Each key's latest requests, for its owner to look at. */
export const requestLog = sqliteTable("request_log", {
  id: integer("id").primaryKey(),
  keyId: integer("key_id").notNull(),
  at: integer("at").notNull(),
  verb: text("verb").notNull(),
  /** Including the query. */
  path: text("path").notNull(),
  status: integer("status").notNull(),
  durationUs: integer("duration_us").notNull(),
  units: integer("units").notNull(),
  /** Why the request was refused or failed; only of statuses 429 and above. */
  reason: text("reason", { mode: "json" }).$type<Message>(),
});
