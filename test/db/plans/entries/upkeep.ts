import type { Entries } from "../compare.ts";

/** Statements of jobs, imports and of the file itself. */
export const upkeep: Entries = {
  "db/database-facts.ts number": [
    {
      sql: "WITH RECURSIVE segment (id) AS ( SELECT min(segid) FROM channel_search_idx UNION ALL SELECT (SELECT min(segid) FROM channel_search_idx WHERE segid > segment.id) FROM segment WHERE segment.id IS NOT NULL ) SELECT count(id) AS n FROM segment",
      plan: [
        "CO-ROUTINE segment",
        "  SETUP",
        "    SEARCH channel_search_idx USING PRIMARY KEY",
        "  RECURSIVE STEP",
        "    SCAN segment",
        "    CORRELATED SCALAR SUBQUERY 2",
        "      SEARCH channel_search_idx USING PRIMARY KEY (segid>?)",
        "SCAN segment",
      ],
      rows: 100,
      why: "From one segment to the next, of which there are some twenty.",
    },
    {
      plan: ["CO-ROUTINE (subquery-1)", "  SCAN *", "SCAN (subquery-1)"],
      rows: 1000001,
      why: "Staff's page of the database, on a reader thread under the deadline; a million rows are the most.",
    },
  ],
  "db/database-facts.ts text": [
    {
      sql: "SELECT sqlite_version() AS value",
      plan: ["SCAN CONSTANT ROW"],
      rows: 0,
    },
  ],
  "db/meta.ts findMeta": [
    {
      sql: "SELECT value FROM meta WHERE name = ?",
      plan: ["SEARCH meta USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "db/meta.ts rewriteMeta": [
    {
      sql: "UPDATE meta SET value = value WHERE name = 'directories_loaded'",
      plan: ["SEARCH meta USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "db/migrate.ts isEmpty": [
    {
      sql: "SELECT 1 FROM sqlite_schema LIMIT 1",
      plan: ["SCAN sqlite_schema"],
      rows: 0,
    },
  ],
  "catalog/imports/import-runs.store.ts beat": [
    {
      sql: "UPDATE import_runs SET heartbeat_at = ? WHERE state = 'running' AND owner = ?",
      plan: ["SCAN import_runs USING INDEX import_runs_running"],
      rows: 0,
      why: "Runs under way: a few at the most.",
    },
  ],
  "catalog/imports/import-runs.store.ts endRun": [
    {
      sql: "UPDATE import_runs SET state = ?, finished_at = ?, failure = ? WHERE id = ?",
      plan: ["SEARCH import_runs USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/imports/import-runs.store.ts saveProgress": [
    {
      sql: "UPDATE import_runs SET summary = ?, rejects = ? WHERE id = ? AND state = 'running'",
      plan: ["SEARCH import_runs USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/imports/import-runs.store.ts selectRun": [
    {
      sql: "SELECT id, kind, file_name AS fileName, person, state, started_at AS startedAt, finished_at AS finishedAt, summary, rejects, failure, state = 'running' AND EXISTS (SELECT 1 FROM import_runs earlier WHERE earlier.state = 'running' AND earlier.id < import_runs.id) AS isWaiting FROM import_runs WHERE id = ?",
      plan: [
        "SEARCH import_runs USING INTEGER PRIMARY KEY (rowid=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH earlier USING COVERING INDEX import_runs_running (id<?)",
      ],
      rows: 1,
    },
  ],
  "catalog/imports/import-runs.store.ts selectRunning": [
    {
      sql: "SELECT id, owner, heartbeat_at AS heartbeatAt FROM import_runs WHERE state = 'running' ORDER BY id",
      plan: ["SCAN import_runs USING INDEX import_runs_running"],
      rows: 0,
      why: "Runs under way: a few at the most.",
    },
  ],
  "catalog/imports/import-runs.store.ts selectRuns": [
    {
      sql: "SELECT id, kind, file_name AS fileName, person, state, started_at AS startedAt, finished_at AS finishedAt, summary, rejects, failure, state = 'running' AND EXISTS (SELECT 1 FROM import_runs earlier WHERE earlier.state = 'running' AND earlier.id < import_runs.id) AS isWaiting FROM import_runs ORDER BY id DESC LIMIT ?",
      plan: [
        "SCAN import_runs",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH earlier USING COVERING INDEX import_runs_running (id<?)",
      ],
      rows: 30,
      why: "Uploads that staff started: some a day.",
    },
  ],
  "upkeep/jobs/jobs.store.ts claimJob": [
    {
      sql: "UPDATE jobs SET … WHERE name = @name AND (finished_at IS NOT NULL OR started_at <= @now - @lease OR started_at > @now + @ahead) AND (due_at < @dueAt OR due_at > @now + @ahead OR (due_at = @dueAt AND finished_at IS NULL))",
      plan: ["SEARCH jobs USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/jobs/jobs.store.ts claimJobNow": [
    {
      sql: "UPDATE jobs SET … WHERE name = @name AND (finished_at IS NOT NULL OR started_at <= @now - @lease OR started_at > @now + @ahead) RETURNING due_at AS dueAt",
      plan: ["SEARCH jobs USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/jobs/jobs.store.ts endJob": [
    {
      sql: "UPDATE jobs SET finished_at = ?, failure = ? WHERE name = ? AND due_at = ?",
      plan: ["SEARCH jobs USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/jobs/jobs.store.ts selectJobRuns": [
    {
      sql: "SELECT … FROM jobs",
      plan: ["SCAN jobs"],
      rows: 5,
    },
  ],
};
