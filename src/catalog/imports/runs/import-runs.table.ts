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

export const importRuns = sqliteTable("import_runs", {
  id: integer("id").primaryKey(),
  kind: text("kind").$type<ImportKindName>().notNull(),
  fileName: text("file_name").notNull(),
  person: text("person").notNull(),
  state: text("state").$type<RunState>().notNull(),
  startedAt: integer("started_at").notNull(),
  finishedAt: integer("finished_at"),
  summary: text("summary", { mode: "json" }).$type<RunProgress>().notNull(),
  failure: text("failure", { mode: "json" }).$type<Message>(),
  owner: text("owner").notNull().default(""),
  heartbeatAt: integer("heartbeat_at").notNull().default(0),
});
