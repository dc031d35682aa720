import { type Database, statement } from "../db/database.ts";
import type { ImportKindName } from "./import-kind.ts";
import type { ImportSummary, Reject } from "./run-import.ts";

export type RunState = "running" | "done" | "failed";

/** As the options of `kanalog import`. */
export interface RunOptions {
  /** Only said what would happen, tried on a copy of the database. */
  dryRun: boolean;
  /** Directories only: entries that the file does not name are removed. */
  replace: boolean;
}

/** What was asked of a run, and how far it has come. */
export interface RunProgress extends ImportSummary {
  options: RunOptions;
  /** Of the file, and how much of them was read. */
  bytes: number;
  bytesRead: number;
  /** What the import has to say beside its rejected rows. */
  notes: string[];
}

export type ShownReject = Pick<Reject, "line" | "column" | "reason">;

/** An import that was started in the console. */
export interface RecordedRun {
  id: number;
  kind: ImportKindName;
  fileName: string;
  /** E-mail address of who started it. */
  person: string;
  state: RunState;
  /** Not begun, since an earlier one is under way: one file is imported after the other. */
  isWaiting: boolean;
  startedAt: number;
  finishedAt: number | null;
  summary: RunProgress;
  /** The first rejected rows. */
  rejects: ShownReject[];
  failure: string | null;
}

type Row = Omit<RecordedRun, "summary" | "rejects" | "isWaiting"> & {
  summary: string;
  rejects: string;
  isWaiting: number;
};

const COLUMNS =
  "id, kind, file_name AS fileName, person, state, started_at AS startedAt, " +
  "finished_at AS finishedAt, summary, rejects, failure, " +
  "state = 'running' AND EXISTS (SELECT 1 FROM import_runs earlier " +
  "WHERE earlier.state = 'running' AND earlier.id < import_runs.id) AS isWaiting";

const WITHOUT_OPTIONS: Pick<RunProgress, "options"> = {
  options: { dryRun: false, replace: false },
};

export function insertRun(
  db: Database,
  run: Pick<RecordedRun, "kind" | "fileName" | "person" | "startedAt" | "summary">,
): number {
  return Number(
    statement(
      db,
      `INSERT INTO import_runs (kind, file_name, person, state, started_at, summary, rejects)
       VALUES (?, ?, ?, 'running', ?, ?, '[]')`,
    ).run(run.kind, run.fileName, run.person, run.startedAt, JSON.stringify(run.summary))
      .lastInsertRowid,
  );
}

/** Also takes back what another process's start made of a run that goes on here. */
export function saveProgress(
  db: Database,
  { id, summary, rejects }: Pick<RecordedRun, "id" | "summary" | "rejects">,
): void {
  statement(
    db,
    `UPDATE import_runs SET state = 'running', finished_at = NULL, failure = NULL, summary = ?,
       rejects = ? WHERE id = ?`,
  ).run(JSON.stringify(summary), JSON.stringify(rejects), id);
}

/** @param failure null where it is done */
export function endRun(db: Database, id: number, endedAt: number, failure: string | null): void {
  statement(db, "UPDATE import_runs SET state = ?, finished_at = ?, failure = ? WHERE id = ?").run(
    failure === null ? "done" : "failed",
    endedAt,
    failure,
    id,
  );
}

/** Of runs whose process is gone. */
export function failRunning(db: Database, endedAt: number, failure: string): void {
  statement(
    db,
    `UPDATE import_runs SET state = 'failed', finished_at = ?, failure = ?
     WHERE state = 'running'`,
  ).run(endedAt, failure);
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
  return {
    ...row,
    isWaiting: row.isWaiting === 1,
    // Runs of before there were options have none.
    summary: { ...WITHOUT_OPTIONS, ...(JSON.parse(row.summary) as RunProgress) },
    rejects: JSON.parse(row.rejects) as ShownReject[],
  };
}
