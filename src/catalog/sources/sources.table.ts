import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Message } from "../../values/messages/messages.ts";
import type { ImportKindName } from "../imports/import-kinds.ts";
import type { ImportOptions } from "../imports/import-options.ts";
import type { ImportSummary } from "../imports/import-summary.ts";

/** Messengers whose bots are sources. */
export const BOT_KINDS = ["telegram", "max"] as const;
export type BotKind = (typeof BOT_KINDS)[number];
type SourceKind = "pull" | "folder" | BotKind;

/** How the rows of a source's files are imported. */
export interface FileOptions extends ImportOptions {
  /** The kind of the rows. */
  rows: ImportKindName;
}

/** The place of files. A pull's headers may hold a password: they are its secret, not a setting. */
export type FileSettings =
  | ({ kind: "pull"; url: string } & FileOptions)
  | ({ kind: "folder"; folder: string } & FileOptions);

/** A bot at its messenger. Its token is the source's secret, not a setting. */
export interface BotSettings {
  kind: BotKind;
  /** Address of the messenger's API, without a slash at its end. */
  api: string;
  /** The bot's own name at the messenger. */
  bot: string;
  /** MAX: updates are pushed here, in place of being asked for. */
  pushes?: boolean;
}

type SourceSettings = FileSettings | BotSettings;

export function isBot(settings: SourceSettings): settings is BotSettings {
  return BOT_KINDS.some((kind) => kind === settings.kind);
}

/** The place that a source reads, as people know it. */
export function placeOf(settings: SourceSettings): string {
  if (isBot(settings)) return settings.bot;
  return settings.kind === "pull" ? settings.url : settings.folder;
}

/** How far a source was read. */
export interface SourcePosition {
  /** The last imported answer's tag, sent with the next request. */
  etag?: string;
  lastModified?: string;
  /** Telegram: the number of the next update. */
  offset?: number;
  /** Telegram: when the last update came. */
  updateAt?: number;
  /** From the publication of a post, or the last change of a file, until it was here, the last time one came. */
  lagMs?: number;
  /** Telegram: the last time without any reading that was longer than the messenger keeps updates. */
  gap?: { from: number; to: number };
  /** MAX: the number of the next update, in digits. */
  marker?: string;
  /** MAX: the Moscow day on which a week's posts were last read. */
  nightDay?: number;
  /** MAX, while updates are pushed: when all channels were last read, and not only those that changed. */
  wholeAt?: number;
  /** MAX: the address that updates are pushed to. */
  subscribed?: string;
}

/** Places that data comes from by itself, each with the state of its last run. */
export const sources = sqliteTable("sources", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  kind: text("kind").$type<SourceKind>().notNull(),
  settings: text("settings", { mode: "json" }).$type<SourceSettings>().notNull(),
  secret: blob("secret", { mode: "buffer" }).$type<Uint8Array>(),
  /** As somebody wrote it: an interval such as 15m, or a cron pattern in Moscow time. */
  schedule: text("schedule").notNull(),
  isPaused: integer("is_paused", { mode: "boolean" }).notNull().default(false),
  createdAt: integer("created_at").notNull(),
  position: text("position", { mode: "json" }).$type<SourcePosition>().notNull().default({}),
  /** Somebody wants it run now, whatever the schedule. */
  isAsked: integer("is_asked", { mode: "boolean" }).notNull().default(false),
  /** Names the process that runs it, as no other process is named; null where none does. */
  owner: text("owner"),
  /** When that process last said that the run goes on. */
  heartbeatAt: integer("heartbeat_at"),
  startedAt: integer("started_at"),
  endedAt: integer("ended_at"),
  succeededAt: integer("succeeded_at"),
  /** Runs that failed since the last success. */
  failures: integer("failures").notNull().default(0),
  /** Reason of the last run's failure; null where it succeeded. */
  failure: text("failure", { mode: "json" }).$type<Message>(),
  /** The file of a folder at which the last run failed; null where it was none. */
  failedFile: text("failed_file"),
  /**
   * When it is to be run again after all: after a failure not before, as the other side asked; after a success
   * not later, as a file was still written.
   */
  retryAt: integer("retry_at"),
  /** The summary of the last run that read something. */
  summary: text("summary", { mode: "json" }).$type<ImportSummary>(),
  /** Staff were told that it is silent. */
  isTold: integer("is_told", { mode: "boolean" }).notNull().default(false),
});

export type Source = typeof sources.$inferSelect;

/** Rows that were read, by Moscow day. */
export const sourceDays = sqliteTable(
  "source_days",
  {
    sourceId: integer("source_id").notNull(),
    day: integer("day").notNull(),
    rows: integer("rows").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.day] })],
);

/** Files of a folder that are done, so that each is read once. */
export const sourceFiles = sqliteTable(
  "source_files",
  {
    sourceId: integer("source_id").notNull(),
    name: text("name").notNull(),
    bytes: integer("bytes").notNull(),
    modifiedAt: integer("modified_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.name] })],
);

/** Channels that a source's bot was added to. */
export const sourceChats = sqliteTable(
  "source_chats",
  {
    sourceId: integer("source_id").notNull(),
    /** The messenger's number of it, in digits as its API writes them. */
    chat: text("chat").notNull(),
    title: text("title").notNull(),
    handle: text("handle"),
    /** False: the bot was removed. */
    isRead: integer("is_read", { mode: "boolean" }).notNull(),
    /** When its card was last read; null: it is to be read. */
    cardAt: integer("card_at"),
    /** Why its card could not be read. */
    fault: text("fault", { mode: "json" }).$type<Message>(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.chat] })],
);

export type SourceChat = Omit<typeof sourceChats.$inferSelect, "sourceId">;

/** The last messages that are one post with others: an edit tells of one of them only. */
export const albumParts = sqliteTable(
  "source_album_parts",
  {
    sourceId: integer("source_id").notNull(),
    chat: text("chat").notNull(),
    messageId: integer("message_id").notNull(),
    album: text("album").notNull(),
    /** The number of the message that the post has its own from. */
    postId: integer("post_id").notNull(),
    text: text("text").notNull(),
    media: text("media").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.chat, table.messageId] })],
);
