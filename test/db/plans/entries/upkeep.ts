import type { Entries } from "../compare.ts";

/** Statements of jobs, imports and the file itself. */
export const upkeep: Entries = {
  "db/cluster/link.ts findCopy": [
    {
      sql: "SELECT id, version, mark, copy_id AS copyId FROM cluster_copy",
      plan: ["SCAN cluster_copy"],
      rows: 0,
      why: "A table of one row, or none.",
    },
  ],
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
  "catalog/imports/runs/import-runs.store.ts running": [
    {
      sql: 'select "id", "owner", "heartbeat_at" from "import_runs" where "import_runs"."state" = \'running\' order by "import_runs"."id" asc',
      plan: ["SCAN import_runs USING INDEX import_runs_running"],
      rows: 1,
      why: "Runs under way: a few at the most.",
    },
  ],
  "catalog/imports/runs/import-runs.store.ts setEnd": [
    {
      sql: 'update "import_runs" set … where "import_runs"."id" = ?',
      plan: ["SEARCH import_runs USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/imports/runs/import-runs.store.ts setHeartbeat": [
    {
      sql: 'update "import_runs" set "heartbeat_at" = ? where ("import_runs"."state" = \'running\' and "import_runs"."owner" = ?)',
      plan: ["SCAN import_runs USING INDEX import_runs_running"],
      rows: 0,
      why: "Runs under way: a few at the most.",
    },
  ],
  "catalog/imports/runs/import-runs.store.ts setProgress": [
    {
      sql: 'update "import_runs" set "summary" = ? where ("import_runs"."id" = ? and "import_runs"."state" = \'running\')',
      plan: ["SEARCH import_runs USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/imports/runs/import-runs.store.ts latestRuns": [
    {
      sql: 'select "id", "kind", "file_name", "person", "state", "started_at", "finished_at", "summary", "rejects", "failure", ("import_runs"."state" = \'running\' and exists (select "id" from "import_runs" "earlier" where ("earlier"."state" = \'running\' and "earlier"."id" < "import_runs"."id"))) from "import_runs" order by "import_runs"."id" desc limit ?',
      plan: [
        "SCAN import_runs",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH earlier USING COVERING INDEX import_runs_running (id<?)",
      ],
      rows: 30,
      why: "Uploads that staff started: some a day.",
    },
  ],
  "catalog/imports/runs/import-runs.store.ts runById": [
    {
      sql: 'select "id", "kind", "file_name", "person", "state", "started_at", "finished_at", "summary", "rejects", "failure", ("import_runs"."state" = \'running\' and exists (select "id" from "import_runs" "earlier" where ("earlier"."state" = \'running\' and "earlier"."id" < "import_runs"."id"))) from "import_runs" where "import_runs"."id" = ?',
      plan: [
        "SEARCH import_runs USING INTEGER PRIMARY KEY (rowid=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH earlier USING COVERING INDEX import_runs_running (id<?)",
      ],
      rows: 1,
    },
  ],
  "upkeep/jobs/jobs.store.ts allRuns": [
    {
      sql: 'select … from "jobs"',
      plan: ["SCAN jobs"],
      rows: 9,
    },
  ],
  "upkeep/jobs/jobs.store.ts noteEnd": [
    {
      sql: 'update "jobs" set "finished_at" = ?, "failure" = ? where ("jobs"."name" = ? and "jobs"."due_at" = ?)',
      plan: ["SEARCH jobs USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/jobs/jobs.store.ts starting": [
    {
      sql: 'update "jobs" set … where ("jobs"."name" = ? and ("jobs"."finished_at" is not null or "jobs"."started_at" <= ? or "jobs"."started_at" > ?) and ("jobs"."due_at" < ? or "jobs"."due_at" > ? or ("jobs"."due_at" = ? and "jobs"."finished_at" is null))) returning "due_at"',
      plan: ["SEARCH jobs USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
    {
      sql: 'update "jobs" set … where ("jobs"."name" = ? and ("jobs"."finished_at" is not null or "jobs"."started_at" <= ? or "jobs"."started_at" > ?) and "jobs"."finished_at" is null) returning "due_at"',
      plan: ["SEARCH jobs USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
    {
      sql: 'update "jobs" set … where ("jobs"."name" = ? and ("jobs"."finished_at" is not null or "jobs"."started_at" <= ? or "jobs"."started_at" > ?)) returning "due_at"',
      plan: ["SEARCH jobs USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/hours/hours.store.ts removeOld": [
    {
      sql: 'delete from "hours" where "hours"."started_at" < ?',
      plan: ["SEARCH hours USING INTEGER PRIMARY KEY (rowid<?)"],
      rows: 0,
    },
    {
      sql: 'delete from "hour_durations" where "hour_durations"."started_at" < ?',
      plan: ["SEARCH hour_durations USING PRIMARY KEY (started_at<?)"],
      rows: 0,
    },
  ],
  "upkeep/hours/hours.store.ts since": [
    {
      sql: 'select … from "hours" where "hours"."started_at" >= ? order by "hours"."started_at" asc',
      plan: ["SEARCH hours USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 0,
    },
  ],
  "upkeep/hours/hours.store.ts durationsSince": [
    {
      sql: 'select "started_at", "class", "requests" from "hour_durations" where "hour_durations"."started_at" >= ?',
      plan: ["SEARCH hour_durations USING PRIMARY KEY (started_at>?)"],
      rows: 0,
    },
  ],
  "db/background-builds.ts findBuild": [
    {
      sql: "SELECT … FROM background_builds WHERE name = ?",
      plan: ["SEARCH background_builds USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "db/background-builds.ts goOn": [
    {
      sql: "UPDATE background_builds SET after_id = ? WHERE name = ?",
      plan: ["SEARCH background_builds USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM background_builds WHERE name = ?",
      plan: ["SEARCH background_builds USING PRIMARY KEY (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/lease/leases.store.ts beat": [
    {
      sql: 'update "leases" set "heartbeat_at" = ? where ("leases"."name" = ? and "leases"."owner" = ?)',
      plan: ["SEARCH leases USING INDEX sqlite_autoindex_leases_1 (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/lease/leases.store.ts lease": [
    {
      sql: 'select "name", "owner", "heartbeat_at" from "leases" where "leases"."name" = ?',
      plan: ["SEARCH leases USING INDEX sqlite_autoindex_leases_1 (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/lease/leases.store.ts leave": [
    {
      sql: 'update "leases" set "owner" = ? where ("leases"."name" = ? and "leases"."owner" = ?)',
      plan: ["SEARCH leases USING INDEX sqlite_autoindex_leases_1 (name=?)"],
      rows: 1,
    },
  ],
  "upkeep/lease/leases.store.ts take": [
    {
      sql: 'update "leases" set "owner" = ?, "heartbeat_at" = ? where ("leases"."name" = ? and "leases"."owner" IS ? and "leases"."heartbeat_at" = ?)',
      plan: ["SEARCH leases USING INDEX sqlite_autoindex_leases_1 (name=?)"],
      rows: 1,
    },
  ],
  "db/merge-pages.ts mergePages": [
    {
      sql: "SELECT total_changes() AS n",
      plan: ["SCAN CONSTANT ROW"],
      rows: 0,
    },
  ],
};
