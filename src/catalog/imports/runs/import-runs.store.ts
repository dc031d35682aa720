import { and, asc, desc, eq, exists, getTableColumns, lt, sql } from "drizzle-orm";
import { alias, integer, type SQLiteColumn, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Reading, Transaction } from "../../../db/database.ts";
import { change, query } from "../../../db/statement.ts";
import type { Message } from "../../../values/messages/messages.ts";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import type { ImportSummary } from "../writing/import-summary.ts";
import type { UploadOptions } from "../writing/write-rows.ts";

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

type Stored = typeof importRuns.$inferSelect;

export interface RecordedRun extends Omit<Stored, "owner" | "heartbeatAt"> {
  /** Whether the run is waiting for an earlier one: files are imported one after another. */
  isWaiting: boolean;
}

/** A literal rather than a parameter, because the index of running imports only applies to this text. */
const isRunning = ({ state }: { state: SQLiteColumn }) => sql`${state} = 'running'`;

type NewRun = Pick<RecordedRun, "kind" | "fileName" | "person" | "startedAt" | "summary"> & {
  owner: string;
};

export const insertRun = change(
  (db, { kind, fileName, person, startedAt, summary, owner }: NewRun) =>
    db
      .insert(importRuns)
      .values({
        kind,
        fileName,
        person,
        startedAt,
        summary,
        owner,
        state: "running",
        heartbeatAt: startedAt,
      })
      .returning({ id: importRuns.id }),
).one;

export const saveProgress = change((db, { id, summary }: Pick<RecordedRun, "id" | "summary">) =>
  db
    .update(importRuns)
    .set({ summary })
    .where(and(eq(importRuns.id, id), isRunning(importRuns))),
).run;

/** The failure as JSON, since drizzle would store the text `null` for none. */
type Ended = Pick<Stored, "id" | "state" | "finishedAt"> & { failure: string | null };

const setEnd = change((db, { id, state, finishedAt, failure }: Ended) =>
  db
    .update(importRuns)
    .set({ state, finishedAt, failure: sql`${failure}` })
    .where(and(eq(importRuns.id, id), isRunning(importRuns))),
).wrote;

/** @param failure null if it succeeded @returns whether it was still running */
export async function endRun(
  tx: Transaction,
  id: number,
  finishedAt: number,
  failure: Message | null,
): Promise<boolean> {
  const state = failure === null ? "done" : "failed";
  return setEnd(tx, { id, finishedAt, state, failure: failure && JSON.stringify(failure) });
}

export const saveHeartbeat = change((db, { owner, now }: { owner: string; now: number }) =>
  db
    .update(importRuns)
    .set({ heartbeatAt: now })
    .where(and(isRunning(importRuns), eq(importRuns.owner, owner))),
).run;

/** Runs in progress or waiting, with their processes. */
export const selectRunning = query((db) =>
  db
    .select({
      id: importRuns.id,
      owner: importRuns.owner,
      heartbeatAt: importRuns.heartbeatAt,
    })
    .from(importRuns)
    .where(isRunning(importRuns))
    .orderBy(asc(importRuns.id)),
).all;

const { owner: _owner, heartbeatAt: _heartbeatAt, ...columns } = getTableColumns(importRuns);

const earlier = alias(importRuns, "earlier");

/** Fields of a run as shown, including whether it is waiting for an earlier one. */
function runFields(db: Reading) {
  const earlierRuns = db
    .select({ id: earlier.id })
    .from(earlier)
    .where(and(isRunning(earlier), lt(earlier.id, importRuns.id)));
  const isWaiting = sql`${and(isRunning(importRuns), exists(earlierRuns))}`.mapWith(Boolean);
  return { ...columns, isWaiting };
}

export const selectRun = query((db, { id }: { id: number }) =>
  db.select(runFields(db)).from(importRuns).where(eq(importRuns.id, id)),
).one;

/** Which runs to list: those with numbers below one, latest first. */
interface RunsPart {
  limit: number;
  before: number;
}

export const selectRuns = query((db, { limit, before }: RunsPart) =>
  db
    .select(runFields(db))
    .from(importRuns)
    .where(lt(importRuns.id, before))
    .orderBy(desc(importRuns.id))
    .limit(limit),
).all;
