import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { FILE_MAX_MS } from "../../ports/own-work.ts";
import type { Message } from "../../values/messages/messages.ts";
import type { ImportKindName } from "../imports/kinds/import-kinds.ts";
import type { ImportSummary } from "../imports/writing/import-summary.ts";
import type { ImportOptions } from "../imports/writing/write-rows.ts";
import type { HiddenLink } from "../posts/hidden-links.ts";

export const BOT_KINDS = ["telegram", "max"] as const;
export type BotKind = (typeof BOT_KINDS)[number];
export const SOURCE_KINDS = ["pull", "folder", ...BOT_KINDS] as const;
type SourceKind = (typeof SOURCE_KINDS)[number];

/** How the rows of a source's files are imported. */
export interface FileOptions extends ImportOptions {
  rows: ImportKindName;
  /** How long fetching a file may take, and importing it; absent for the default. */
  fileMaxMs?: number | undefined;
}

/** Where files are. A pull's headers may contain a password, so they are stored as its secret instead. */
export type FileSettings =
  | ({ kind: "pull"; url: string } & FileOptions)
  | ({ kind: "folder"; folder: string } & FileOptions);

/** A bot at its messenger. Its token is stored as the source's secret instead. */
export interface BotSettings {
  kind: BotKind;
  /** Address of the messenger's API, without a trailing slash. */
  api: string;
  /** The bot's name at the messenger. */
  bot: string;
  /** For MAX: whether updates are pushed instead of polled. */
  pushes?: boolean;
  /** Whether the messenger is a fake one inside the program, and nothing is contacted. */
  isDemo?: true;
}

type SourceSettings = FileSettings | BotSettings;

/** How long fetching one of a source's files may take, and importing it. */
export function fileMaxMs(settings: FileOptions): number {
  return settings.fileMaxMs ?? FILE_MAX_MS;
}

export function isBot(settings: SourceSettings): settings is BotSettings {
  return BOT_KINDS.some((kind) => kind === settings.kind);
}

/** Where a source reads, as shown to people: the bot's name, the URL or the folder. */
export function placeOf(settings: SourceSettings): string {
  if (isBot(settings)) return settings.bot;
  return settings.kind === "pull" ? settings.url : settings.folder;
}

export interface SourcePosition {
  /** ETag of the last imported response, sent with the next request. */
  etag?: string;
  lastModified?: string;
  /** Telegram: number of the next update. */
  offset?: number;
  /** Telegram: when the last update arrived. */
  updateAt?: number;
  /** How long after its publication, or a file's last change, the last arrival was stored here. */
  lagMs?: number;
  /** Telegram: the last interval without reading that was longer than the messenger keeps updates. */
  gap?: { from: number; to: number };
  /** MAX: number of the next update, in digits. */
  marker?: string;
  /** MAX: the Moscow day on which a week of posts was last read. */
  nightDay?: number;
  /** MAX, with pushes: when all channels, and not only changed ones, were last read. */
  wholeAt?: number;
  /** MAX: the address that updates are pushed to. */
  subscribed?: string;
}

/** Why runs of a source failed one after another. */
export interface SourceFault {
  failure: Message;
  /** When it was first and last met. */
  from: number;
  to: number;
  runs: number;
}

export const sources = sqliteTable("sources", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  kind: text("kind").$type<SourceKind>().notNull(),
  settings: text("settings", { mode: "json" }).$type<SourceSettings>().notNull(),
  secret: blob("secret", { mode: "buffer" }).$type<Uint8Array>(),
  /** As entered: an interval such as 15m, or a cron pattern in Moscow time. */
  schedule: text("schedule").notNull(),
  isPaused: integer("is_paused", { mode: "boolean" }).notNull().default(false),
  createdAt: integer("created_at").notNull(),
  position: text("position", { mode: "json" }).$type<SourcePosition>().notNull().default({}),
  /** Whether somebody requested a run, regardless of the schedule. */
  isRequested: integer("is_asked", { mode: "boolean" }).notNull().default(false),
  /** Null if no process runs it. */
  owner: text("owner"),
  heartbeatAt: integer("heartbeat_at"),
  startedAt: integer("started_at"),
  endedAt: integer("ended_at"),
  succeededAt: integer("succeeded_at"),
  /** Since the last success. */
  failures: integer("failures").notNull().default(0),
  failure: text("failure", { mode: "json" }).$type<Message>(),
  /** Why it failed lately, newest first. */
  faults: text("faults", { mode: "json" }).$type<SourceFault[]>().notNull().default([]),
  /**
   * When to run again, apart from the schedule. After a failure: not earlier, because the other side asked
   * to wait. After a success: not later, because a file was still being written.
   */
  retryAt: integer("retry_at"),
  /** Summary of the last run that read anything. */
  summary: text("summary", { mode: "json" }).$type<ImportSummary>(),
  isNotified: integer("is_told", { mode: "boolean" }).notNull().default(false),
});

export type Source = typeof sources.$inferSelect;

export const sourceDays = sqliteTable(
  "source_days",
  {
    sourceId: integer("source_id").notNull(),
    day: integer("day").notNull(),
    rows: integer("rows").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.day] })],
);

/** Files of a folder that are done, imported or set aside, so that each is read once. */
export const sourceFiles = sqliteTable(
  "source_files",
  {
    sourceId: integer("source_id").notNull(),
    name: text("name").notNull(),
    bytes: integer("bytes").notNull(),
    modifiedAt: integer("modified_at").notNull(),
    /** Why it was set aside; null if it was imported. */
    fault: text("fault", { mode: "json" }).$type<Message>(),
    /** Whether it was moved, so that a file of this name is another. */
    isMoved: integer("is_moved", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.name] })],
);

export type DoneFile = Omit<typeof sourceFiles.$inferSelect, "sourceId">;

export const sourceChats = sqliteTable(
  "source_chats",
  {
    sourceId: integer("source_id").notNull(),
    /** Its id at the messenger, in digits as the API writes it. */
    chat: text("chat").notNull(),
    title: text("title").notNull(),
    handle: text("handle"),
    /** False once the bot was removed from it, and for a MAX channel until it is first read. */
    isRead: integer("is_read", { mode: "boolean" }).notNull(),
    /** When its card, and at MAX its posts, were last read. Null if it must be read at once. */
    cardAt: integer("card_at"),
    /** Why it could not be read, or not completely; null if it was. */
    fault: text("fault", { mode: "json" }).$type<Message>(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.chat] })],
);

export type SourceChat = Omit<typeof sourceChats.$inferSelect, "sourceId">;

/** Latest messages that belong to albums, because an edit only reports one of an album's messages. */
export const albumParts = sqliteTable(
  "source_album_parts",
  {
    sourceId: integer("source_id").notNull(),
    chat: text("chat").notNull(),
    messageId: integer("message_id").notNull(),
    album: text("album").notNull(),
    /** Number of the post: that of the first of its messages in the batch that began the album. */
    postId: integer("post_id").notNull(),
    text: text("text").notNull(),
    links: text("links", { mode: "json" }).$type<HiddenLink[]>().notNull(),
    media: text("media").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.chat, table.messageId] })],
);
