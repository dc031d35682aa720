import { type Database, statement } from "../../db/database.ts";
import { type Message, storedMessage } from "../../values/messages/messages.ts";
import type { ImportKindName } from "./import-kinds.ts";
import type { ImportSummary, Reject } from "./run-import.ts";

export type RunState = "running" | "done" | "failed";

/** The same as options of `kanalog import`. */
export interface RunOptions {
  /** Only tells what would happen: it is tried on a copy of the database. */
  dryRun: boolean;
  /** Directories only: entries that the file does not name are removed. */
  replace: boolean;
}

/** The options of a run, and how far it has come. */
export interface RunProgress extends ImportSummary {
  options: RunOptions;
  /** Size of the file, and how much of it was read. */
  bytes: number;
  bytesRead: number;
  /** Notes of the import beside its rejected rows. */
  notes: Message[];
}

export type ShownReject = Pick<Reject, "line" | "column" | "fault">;

/** An import that was started in the console. */
export interface RecordedRun {
  id: number;
  kind: ImportKindName;
  fileName: string;
  /** E-mail address of who started it. */
  person: string;
  state: RunState;
  /** The run waits for an earlier one: files are imported one after the other. */
  isWaiting: boolean;
  startedAt: number;
  finishedAt: number | null;
  summary: RunProgress;
  /** The first rejected rows. */
  rejects: ShownReject[];
  failure: Message | null;
}

type Row = Omit<RecordedRun, "summary" | "rejects" | "failure" | "isWaiting"> & {
  summary: string;
  rejects: string;
  failure: string | null;
  isWaiting: number;
};

/** Versions before messages had codes stored them as texts, and a row's fault as its reason. */
type StoredSummary = Omit<RunProgress, "notes"> & { notes: (Message | string)[] };
type StoredReject = ShownReject | { line: number; column: string | null; reason: string };

const COLUMNS =
  "id, kind, file_name AS fileName, person, state, started_at AS startedAt, " +
  "finished_at AS finishedAt, summary, rejects, failure, " +
  "state = 'running' AND EXISTS (SELECT 1 FROM import_runs earlier " +
  "WHERE earlier.state = 'running' AND earlier.id < import_runs.id) AS isWaiting";

const WITHOUT_OPTIONS: Pick<RunProgress, "options"> = {
  options: { dryRun: false, replace: false },
};

/** @param owner names the process that runs it, as no other process is named */
export function insertRun(
  db: Database,
  run: Pick<RecordedRun, "kind" | "fileName" | "person" | "startedAt" | "summary">,
  owner: string,
): number {
  return Number(
    statement(
      db,
      `INSERT INTO import_runs
         (kind, file_name, person, state, started_at, summary, rejects, owner, heartbeat_at)
       VALUES (@kind, @fileName, @person, 'running', @startedAt, @summary, '[]', @owner, @startedAt)`,
    ).run({ ...run, summary: JSON.stringify(run.summary), owner }).lastInsertRowid,
  );
}

export function saveProgress(
  db: Database,
  { id, summary, rejects }: Pick<RecordedRun, "id" | "summary" | "rejects">,
): void {
  statement(
    db,
    "UPDATE import_runs SET summary = ?, rejects = ? WHERE id = ? AND state = 'running'",
  ).run(JSON.stringify(summary), JSON.stringify(rejects), id);
}

/** @param failure null where it is done */
export function endRun(db: Database, id: number, endedAt: number, failure: Message | null): void {
  statement(db, "UPDATE import_runs SET state = ?, finished_at = ?, failure = ? WHERE id = ?").run(
    failure === null ? "done" : "failed",
    endedAt,
    failure === null ? null : JSON.stringify(failure),
    id,
  );
}

/** Heartbeat: the process says that its runs go on. */
export function beat(db: Database, owner: string, nowMs: number): void {
  statement(
    db,
    "UPDATE import_runs SET heartbeat_at = ? WHERE state = 'running' AND owner = ?",
  ).run(nowMs, owner);
}

/** A run under way, with the process that runs it and the time of its last heartbeat. */
export interface OwnedRun {
  id: number;
  owner: string;
  heartbeatAt: number;
}

export function selectRunning(db: Database): OwnedRun[] {
  return statement<OwnedRun>(
    db,
    `SELECT id, owner, heartbeat_at AS heartbeatAt FROM import_runs
     WHERE state = 'running' ORDER BY id`,
  ).all();
}

export function selectRun(db: Database, id: number): RecordedRun | undefined {
  const row = statement<Row>(db, `SELECT ${COLUMNS} FROM import_runs WHERE id = ?`).get(id);
  return row && toRun(row);
}

/** The latest first. */
export function selectRuns(db: Database, limit: number): RecordedRun[] {
  const latest = `SELECT ${COLUMNS} FROM import_runs ORDER BY id DESC LIMIT ?`;
  return statement<Row>(db, latest).all(limit).map(toRun);
}

function toRun(row: Row): RecordedRun {
  const summary = JSON.parse(row.summary) as StoredSummary;
  return {
    ...row,
    isWaiting: row.isWaiting === 1,
    // Runs that were recorded before there were options have none.
    summary: { ...WITHOUT_OPTIONS, ...summary, notes: summary.notes.map(storedMessage) },
    rejects: (JSON.parse(row.rejects) as StoredReject[]).map((reject) => ({
      line: reject.line,
      column: reject.column,
      fault: storedMessage("reason" in reject ? reject.reason : reject.fault),
    })),
    failure: row.failure === null ? null : storedMessage(parsedOrText(row.failure)),
  };
}

function parsedOrText(stored: string): Message | string {
  try {
    return JSON.parse(stored) as Message;
  } catch {
    return stored;
  }
}
