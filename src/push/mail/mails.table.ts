import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Messages still to be sent; a message that was sent or given up is removed. */
export const mails = sqliteTable("mails", {
  id: integer("id").primaryKey(),
  recipients: text("recipients", { mode: "json" }).$type<readonly string[]>().notNull(),
  subject: text("subject").notNull(),
  text: text("text").notNull(),
  html: text("html").notNull(),
  createdAt: integer("created_at").notNull(),
  failures: integer("failures").notNull().default(0),
  nextAttemptAt: integer("next_attempt_at").notNull(),
  /** As `addMail` describes it. */
  rank: integer("rank").notNull().default(0),
  claim: text("claim"),
  claimedUntil: integer("claimed_until"),
});
