import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";

/** One row a channel and Moscow day; a table without rowid, so a channel's days lie together. */
export const dailyStatistics = sqliteTable(
  "daily_statistics",
  {
    channelId: integer("channel_id").notNull(),
    /** Days since 1970-01-01. */
    day: integer("day").notNull(),
    subscribers: integer("subscribers").notNull(),
    views: integer("views").notNull(),
    posts: integer("posts").notNull(),
  },
  (table) => [primaryKey({ columns: [table.channelId, table.day] })],
);
