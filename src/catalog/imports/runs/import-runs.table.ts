import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Message } from "../../../values/messages/messages.ts";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import type { UploadOptions } from "../writing/import-options.ts";
import type { ImportSummary } from "../writing/import-summary.ts";

type RunState = "running" | "done" | "failed";

export interface RunProgress extends ImportSummary {
  options: UploadOptions;
  /** Size of the file, and how much of it has been read. */
  bytes: number;
  bytesRead: number;
  /** Rejected rows in the downloadable file: the first ones if there are very many. */
  rejectsKept: number;
  notes: Message[];
}

/**
 * A summary as any version stored it: notes were texts before messages had codes, the first versions had no
 * options, and those before reasons were counted stored none of the fields in `Later`.
 */
type StoredSummary = Omit<RunProgress, "notes" | "options" | Later> &
  Partial<Pick<RunProgress, Later>> & {
    options?: Partial<UploadOptions>;
    notes: (Message | string)[];
  };
type Later = "recognized" | "rejects" | "warnings" | "rejectsKept" | "kept_out";

/** A rejected row as stored by versions before reasons were counted; the first ones stored text. */
type StoredReject = { line: number; column: string | null } & (
  | { fault: Message }
  | { reason: string }
);

export const importRuns = sqliteTable("import_runs", {
  id: integer("id").primaryKey(),
  kind: text("kind").$type<ImportKindName>().notNull(),
  fileName: text("file_name").notNull(),
  person: text("person").notNull(),
  state: text("state").$type<RunState>().notNull(),
  startedAt: integer("started_at").notNull(),
  finishedAt: integer("finished_at"),
  summary: text("summary", { mode: "json" }).$type<StoredSummary>().notNull(),
  /** First rejected rows, of versions before reasons were counted; empty otherwise. */
  rejects: text("rejects", { mode: "json" }).$type<StoredReject[]>().notNull(),
  /** A message as JSON, or plain text from an earlier version. */
  failure: text("failure"),
  owner: text("owner").notNull().default(""),
  heartbeatAt: integer("heartbeat_at").notNull().default(0),
});
