import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Searches of the catalog that a member keeps under a name. */
export const savedLists = sqliteTable("saved_lists", {
  id: integer("id").primaryKey(),
  memberId: integer("member_id").notNull(),
  name: text("name").notNull(),
  /** Filters and ordering, as the query of a request to the catalog. */
  query: text("query").notNull(),
  createdAt: integer("created_at").notNull(),
});

export type SavedList = typeof savedLists.$inferSelect;
