/** Schema version 14. A migration that has shipped is never edited. */
export const sources = `
-- What data comes from by itself (sources).
CREATE TABLE sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  kind TEXT NOT NULL CHECK (kind IN ('pull', 'folder')),
  -- As JSON, by its kind.
  settings TEXT NOT NULL,
  -- Encrypted with KANALOG_SECRET: headers of a pull. Null where there is none.
  secret BLOB,
  -- An interval such as 15m, or a cron pattern in Moscow time.
  schedule TEXT NOT NULL,
  is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
  created_at INTEGER NOT NULL,
  -- How far it was read, as JSON, by its kind.
  position TEXT NOT NULL DEFAULT '{}',
  -- Somebody wants it run now, whatever the schedule.
  is_asked INTEGER NOT NULL DEFAULT 0 CHECK (is_asked IN (0, 1)),
  -- The process that runs it, and when that process last said so; null where none does.
  owner TEXT,
  heartbeat_at INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  succeeded_at INTEGER,
  -- Runs that failed since the last success, and what the last one failed for, as JSON.
  failures INTEGER NOT NULL DEFAULT 0,
  failure TEXT,
  -- The file of a folder at which it failed.
  failed_file TEXT,
  -- The other side asked not to be asked before.
  retry_at INTEGER,
  -- The import's summary of the last run that read something, as JSON.
  summary TEXT,
  -- Staff were told by mail that it is silent.
  is_told INTEGER NOT NULL DEFAULT 0 CHECK (is_told IN (0, 1))
) STRICT;

-- Rows that were read, by Moscow day.
CREATE TABLE source_days (
  source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  PRIMARY KEY (source_id, day)
) STRICT, WITHOUT ROWID;

-- Files of a folder that are done.
CREATE TABLE source_files (
  source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  PRIMARY KEY (source_id, name)
) STRICT, WITHOUT ROWID;
`;
