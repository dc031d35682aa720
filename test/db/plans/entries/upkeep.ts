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
  "upkeep/retention/retain.store.ts deleteRow": [
    {
      sql: "DELETE FROM manual_attempts WHERE rowid = @k0 AND (attempted_at <= @until)",
      plan: ["SEARCH manual_attempts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM oauth_codes WHERE hash = @k0 AND (expires_at <= @until)",
      plan: ["SEARCH oauth_codes USING PRIMARY KEY (hash=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM oauth_grants WHERE rowid = @k0 AND (EXISTS (SELECT 1 FROM keys k WHERE k.id = key_id AND (revoked_at <= @until OR expires_at <= @until)))",
      plan: [
        "SEARCH oauth_grants USING INTEGER PRIMARY KEY (rowid=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH oauth_tokens USING INDEX oauth_tokens_by_key (key_id=?)",
        "SEARCH oauth_codes USING INDEX oauth_codes_by_key (key_id=?)",
      ],
      rows: 2,
    },
    {
      sql: "DELETE FROM oauth_tokens WHERE hash = @k0 AND (expires_at <= @until)",
      plan: ["SEARCH oauth_tokens USING PRIMARY KEY (hash=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM sessions WHERE rowid = @k0",
      plan: ["SEARCH sessions USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM usage_days WHERE organization_id = @k0 AND day = @k1 AND method = @k2 AND key_id = @k3 AND status = @k4 AND (organization_id IN (SELECT id FROM organizations) AND day <= @untilDay)",
      plan: [
        "SEARCH usage_days USING PRIMARY KEY (organization_id=? AND day=? AND method=? AND key_id=? AND status=?)",
        "USING ROWID SEARCH ON TABLE organizations FOR IN-OPERATOR",
      ],
      rows: null,
      why: "One row with what refers to it.",
    },
    {
      sql: "DELETE FROM webhook_bodies WHERE rowid = @k0 AND (EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.id = delivery_id AND d.created_at <= @until AND d.state <> 'pending'))",
      plan: [
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
    {
      sql: "DELETE FROM webhook_deliveries WHERE rowid = @k0 AND (created_at <= @until AND state <> 'pending')",
      plan: [
        "SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_attempts USING COVERING INDEX webhook_attempts_by_delivery (delivery_id=?)",
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1,
    },
  ],
  "upkeep/retention/retain.store.ts selectAged": [
    {
      sql: "SELECT rowid AS k0 FROM audit_log WHERE at <= @until LIMIT 1000",
      plan: ["SEARCH audit_log USING COVERING INDEX audit_log_by_age (at<?)"],
      rows: 0,
    },
    {
      sql: "SELECT started_at AS k0, class AS k1 FROM hour_durations WHERE started_at <= @until LIMIT 1000",
      plan: ["SEARCH hour_durations USING PRIMARY KEY (started_at<?)"],
      rows: 0,
    },
    {
      sql: "SELECT rowid AS k0 FROM hours WHERE started_at <= @until LIMIT 1000",
      plan: ["SEARCH hours USING INTEGER PRIMARY KEY (rowid<?)"],
      rows: 0,
    },
    {
      sql: "SELECT rowid AS k0 FROM import_runs WHERE state <> 'running' AND started_at <= @until LIMIT 1000",
      plan: ["SCAN import_runs"],
      rows: 301,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT rowid AS k0 FROM keys WHERE (revoked_at <= @until OR expires_at <= @until) AND NOT EXISTS (SELECT 1 FROM usage_days WHERE key_id = keys.id) AND NOT EXISTS (SELECT 1 FROM oauth_grants WHERE key_id = keys.id) LIMIT 1000",
      plan: [
        "SCAN keys",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH usage_days USING COVERING INDEX usage_days_by_key (key_id=?)",
        "CORRELATED SCALAR SUBQUERY 2",
        "  SEARCH oauth_grants USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 4006,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT person_id AS k0, network AS k1 FROM known_networks WHERE signed_in_at <= @until LIMIT 1000",
      plan: ["SCAN known_networks"],
      rows: 4,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT rowid AS k0 FROM manual_attempts WHERE attempted_at <= @until LIMIT 1000",
      plan: ["SEARCH manual_attempts USING COVERING INDEX manual_attempts_by_age (attempted_at<?)"],
      rows: 4,
    },
    {
      sql: "SELECT hash AS k0 FROM oauth_codes WHERE expires_at <= @until LIMIT 1000",
      plan: ["SEARCH oauth_codes USING COVERING INDEX oauth_codes_by_end (expires_at<?)"],
      rows: 1000,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT rowid AS k0 FROM oauth_grants WHERE EXISTS (SELECT 1 FROM keys k WHERE k.id = key_id AND (revoked_at <= @until OR expires_at <= @until)) LIMIT 1000",
      plan: ["SCAN oauth_grants", "SEARCH k EXISTS USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 4002,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT hash AS k0 FROM oauth_tokens WHERE expires_at <= @until LIMIT 1000",
      plan: ["SEARCH oauth_tokens USING COVERING INDEX oauth_tokens_by_end (expires_at<?)"],
      rows: 1000,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT … FROM quota_mails WHERE period_started_at <= @until LIMIT 1000",
      plan: ["SCAN quota_mails"],
      rows: 1,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT rowid AS k0 FROM request_log WHERE at <= @until LIMIT 1000",
      plan: ["SEARCH request_log USING COVERING INDEX request_log_by_age (at<?)"],
      rows: 0,
    },
    {
      sql: "SELECT rowid AS k0 FROM sessions WHERE expires_at <= @untilText LIMIT 1000",
      plan: ["SEARCH sessions USING COVERING INDEX sessions_by_end (expires_at<?)"],
      rows: 0,
    },
    {
      sql: "SELECT token_hash AS k0 FROM sign_ups WHERE expires_at <= @until LIMIT 1000",
      plan: ["SEARCH sign_ups USING COVERING INDEX sign_ups_by_age (expires_at<?)"],
      rows: 0,
    },
    {
      sql: "SELECT source_id AS k0, day AS k1 FROM source_days WHERE day <= @untilDay LIMIT 1000",
      plan: ["SCAN source_days"],
      rows: 0,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT … FROM usage_days WHERE organization_id IN (SELECT id FROM organizations) AND day <= @untilDay LIMIT 1000",
      plan: [
        "SEARCH usage_days USING PRIMARY KEY (organization_id=? AND day<?)",
        "USING ROWID SEARCH ON TABLE organizations FOR IN-OPERATOR",
      ],
      rows: null,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT rowid AS k0 FROM verifications WHERE expires_at <= @untilText LIMIT 1000",
      plan: ["SCAN verifications"],
      rows: 0,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT rowid AS k0 FROM webhook_bodies WHERE EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.id = delivery_id AND d.created_at <= @until AND d.state <> 'pending') LIMIT 1000",
      plan: ["SCAN webhook_bodies", "SEARCH d EXISTS USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 3872,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
    {
      sql: "SELECT rowid AS k0 FROM webhook_deliveries WHERE created_at <= @until AND state <> 'pending' LIMIT 1000",
      plan: ["SEARCH webhook_deliveries USING INDEX webhook_deliveries_by_age (created_at<?)"],
      rows: 1000,
      why: "Every hour, on the jobs' thread and without the write lock: the table is small, or walked once.",
    },
  ],
  "upkeep/retention/retain.store.ts selectExcess": [
    {
      sql: "SELECT … FROM audit_log GROUP BY 1 HAVING count(*) > @rows",
      plan: ["SCAN audit_log USING COVERING INDEX audit_log_by_organization"],
      rows: 50064,
      why: "Every hour, on the jobs' thread and without the write lock: counts the rows of each owner.",
    },
    {
      sql: "SELECT … FROM former_handles GROUP BY 1 HAVING count(*) > @rows",
      plan: ["SCAN former_handles USING COVERING INDEX former_handles_by_channel"],
      rows: 30004,
      why: "Every hour, on the jobs' thread and without the write lock: counts the rows of each owner.",
    },
    {
      sql: "SELECT … FROM import_runs GROUP BY 1 HAVING count(*) > @rows",
      plan: ["SCAN import_runs", "USE TEMP B-TREE FOR GROUP BY"],
      rows: 301,
      why: "Every hour, on the jobs' thread and without the write lock: counts the rows of each owner.",
    },
    {
      sql: "SELECT … FROM known_networks GROUP BY 1 HAVING count(*) > @rows",
      plan: ["SCAN known_networks"],
      rows: 4,
      why: "Every hour, on the jobs' thread and without the write lock: counts the rows of each owner.",
    },
    {
      sql: "SELECT … FROM oauth_tokens GROUP BY 1 HAVING count(*) > @rows",
      plan: ["SCAN oauth_tokens USING COVERING INDEX oauth_tokens_by_key"],
      rows: 0,
      why: "Every hour, on the jobs' thread and without the write lock: counts the rows of each owner.",
    },
    {
      sql: "SELECT … FROM sessions GROUP BY 1 HAVING count(*) > @rows",
      plan: ["SCAN sessions USING COVERING INDEX sessions_by_person"],
      rows: 6150,
      why: "Every hour, on the jobs' thread and without the write lock: counts the rows of each owner.",
    },
    {
      sql: "SELECT … FROM source_files GROUP BY 1 HAVING count(*) > @rows",
      plan: ["SCAN source_files"],
      rows: 0,
      why: "Every hour, on the jobs' thread and without the write lock: counts the rows of each owner.",
    },
  ],
  "upkeep/retention/retain.store.ts selectFirst": [
    {
      sql: "SELECT rowid AS k0 FROM sessions WHERE person_id IS @owner ORDER BY created_at LIMIT @limit",
      plan: [
        "SEARCH sessions USING INDEX sessions_by_person (person_id=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 150,
    },
  ],
};
