import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** When matches are sent: as they are read, or together, after each full hour or each Moscow day. */
export const DIGESTS = ["each", "hourly", "daily"] as const;
export type Digest = (typeof DIGESTS)[number];

/** Alerts: what to look for in new posts, and the webhook by which matches are sent. */
export const alerts = sqliteTable("alerts", {
  id: integer("id").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  /** Webhook that delivers the matches. */
  webhookId: integer("webhook_id").notNull(),
  name: text("name").notNull(),
  /** The query, as its owner wrote it. */
  q: text("q").notNull(),
  /** Null for posts of all channels. */
  channelId: integer("channel_id"),
  /** Slug of a category; null for any. */
  category: text("category"),
  /** Slug of a territory, which includes those below it; null for any. */
  territory: text("territory"),
  /** Null for both advertising and other posts. */
  isAd: integer("is_ad", { mode: "boolean" }),
  digest: text("digest", { enum: DIGESTS }).notNull().default("each"),
  /** Only posts read after this are sent. */
  sinceSequence: integer("since_sequence").notNull(),
  /** Posts up to this have been put into events. */
  cutSequence: integer("cut_sequence").notNull().default(0),
  /** The Moscow day on which a post was last put into an event, and the number of posts on that day. */
  sentDay: integer("sent_day").notNull().default(0),
  sentPosts: integer("sent_posts").notNull().default(0),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export type Alert = typeof alerts.$inferSelect;

/** Fields chosen by the alert's owners. */
export type AlertFields = Pick<
  Alert,
  "name" | "q" | "webhookId" | "channelId" | "category" | "territory" | "isAd" | "digest"
>;

/** Posts in the order they were read, queued until they are matched with alerts. */
export const alertPosts = sqliteTable("alert_posts", {
  sequence: integer("sequence").primaryKey(),
  postId: integer("post_id").notNull(),
});

/** Posts that matched an alert, until they are sent together. */
export const alertWaiting = sqliteTable(
  "alert_waiting",
  {
    alertId: integer("alert_id").notNull(),
    way: text("way", { enum: ["webhook", "mail"] }).notNull(),
    postId: integer("post_id").notNull(),
    dueAt: integer("due_at").notNull(),
  },
  ({ alertId, way, postId }) => [primaryKey({ columns: [alertId, way, postId] })],
);

/** Members who get an alert's matches by mail, with the token of the page that ends it. */
export const alertMails = sqliteTable(
  "alert_mails",
  {
    alertId: integer("alert_id").notNull(),
    memberId: integer("member_id").notNull(),
    token: text("token").notNull(),
  },
  ({ alertId, memberId }) => [primaryKey({ columns: [alertId, memberId] })],
);

/** The latest changes that matching must know about, in order: older ones are removed. */
export const alertChanges = sqliteTable("alert_changes", {
  version: integer("version").primaryKey(),
  alertId: integer("alert_id").notNull(),
});
