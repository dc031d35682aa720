import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const posts = sqliteTable("posts", {
  id: integer("id").primaryKey(),
  channelId: integer("channel_id").notNull(),
  /** The messenger's own number of the post within its channel. */
  msgrPostId: integer("msgr_post_id"),
  publishedAt: integer("published_at").notNull(),
  isAd: integer("is_ad", { mode: "boolean" }).notNull(),
  views: integer("views").notNull(),
  /** When the appliance first had the post: what webhooks watch. */
  readAt: integer("read_at").notNull(),
  link: text("link"),
  text: text("text").notNull(),
});

export type Post = typeof posts.$inferSelect;
