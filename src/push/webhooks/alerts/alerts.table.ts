import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Words that posts are searched for as they are read, and what is told of those that match. */
export const alerts = sqliteTable("alerts", {
  id: integer("id").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  /** The webhook through whose queue matches are sent. */
  webhookId: integer("webhook_id").notNull(),
  name: text("name").notNull(),
  q: text("q").notNull(),
  /** Null: posts of all channels. */
  channelId: integer("channel_id"),
  /** Slugs; null: any. */
  category: text("category"),
  territory: text("territory"),
  /** Null: advertising or not. */
  isAd: integer("is_ad", { mode: "boolean" }),
  /** Posts read later than this are sent. */
  sinceSequence: integer("since_sequence").notNull(),
  /** Posts up to this were cut into events. */
  cutSequence: integer("cut_sequence").notNull().default(0),
  /** The Moscow day on which a post was cut last, and how many were on it. */
  sentDay: integer("sent_day").notNull().default(0),
  sentPosts: integer("sent_posts").notNull().default(0),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export type Alert = typeof alerts.$inferSelect;

/** The fields that its owners give. */
export type AlertFields = Pick<
  Alert,
  "name" | "q" | "webhookId" | "channelId" | "category" | "territory" | "isAd"
>;

/** Posts in the order they were read, until alerts are matched with them. */
export const alertPosts = sqliteTable("alert_posts", {
  sequence: integer("sequence").primaryKey(),
  postId: integer("post_id").notNull(),
});

/** The latest changes of what alerts ask for, in their order. */
export const alertChanges = sqliteTable("alert_changes", {
  version: integer("version").primaryKey(),
  alertId: integer("alert_id").notNull(),
});
