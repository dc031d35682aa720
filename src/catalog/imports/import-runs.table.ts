import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Message } from "../../values/messages/messages.ts";
import type { ImportKindName } from "./import-kinds.ts";
import type { UploadOptions } from "./import-options.ts";
import type { ImportSummary } from "./import-summary.ts";

type RunState = "running" | "done" | "failed";

/** The options of a run, and how far it has come. */
export interface RunProgress extends ImportSummary {
  options: UploadOptions;
  /** Size of the file, and how much of it was read. */
  bytes: number;
  bytesRead: number;
  /** Rejected rows in the file that is offered: the first of them where they are very many. */
  rejectsKept: number;
  /** Notes of the import beside its rejected rows. */
  notes: Message[];
}

/**
 * Versions before messages had codes stored them as texts; the first ones had no options, and those before
 * reasons were counted neither these nor how the file was read.
 */
type StoredSummary = Omit<RunProgress, "notes" | "options" | Later> &
  Partial<Pick<RunProgress, Later>> & {
    options?: Partial<UploadOptions>;
    notes: (Message | string)[];
  };
type Later = "recognized" | "rejects" | "warnings" | "rejectsKept";

/** A rejected row, as versions stored it before reasons were counted; the first ones as a text. */
type StoredReject = { line: number; column: string | null } & (
  | { fault: Message }
  | { reason: string }
);

/** Imports that were started in the console. */
export const importRuns = sqliteTable("import_runs", {
  id: integer("id").primaryKey(),
  kind: text("kind").$type<ImportKindName>().notNull(),
  fileName: text("file_name").notNull(),
  /** E-mail address of who started it. */
  person: text("person").notNull(),
  state: text("state").$type<RunState>().notNull(),
  startedAt: integer("started_at").notNull(),
  finishedAt: integer("finished_at"),
  summary: text("summary", { mode: "json" }).$type<StoredSummary>().notNull(),
  /** The first rejected rows, of versions before reasons were counted; else empty. */
  rejects: text("rejects", { mode: "json" }).$type<StoredReject[]>().notNull(),
  /** A message as JSON, or the plain text of a version before. */
  failure: text("failure"),
  /** Names the process that runs it, as no other process is named. */
  owner: text("owner").notNull().default(""),
  /** When that process last said that the run goes on. */
  heartbeatAt: integer("heartbeat_at").notNull().default(0),
});
