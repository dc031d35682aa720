/** Schema version 15. A migration that has shipped is never edited. */
export const botSources = `
-- Sources that are bots. A CHECK cannot be changed, so the table is made anew.
CREATE TABLE new_sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  kind TEXT NOT NULL CHECK (kind IN ('pull', 'folder', 'telegram', 'max')),
  -- As JSON, by its kind.
  settings TEXT NOT NULL,
  -- Encrypted with KANALOG_SECRET: headers of a pull, the token of a bot. Null where there is none.
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
INSERT INTO new_sources SELECT * FROM sources;
-- The highest number given, so that none is given twice.
DELETE FROM sqlite_sequence WHERE name = 'new_sources';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'new_sources', seq FROM sqlite_sequence WHERE name = 'sources';
DROP TABLE sources;
ALTER TABLE new_sources RENAME TO sources;

-- Channels that a bot was added to, those that it was removed from included.
CREATE TABLE source_chats (
  source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  -- The messenger's number of it, in digits as its API writes them: a JSON number could not hold all of them.
  chat TEXT NOT NULL,
  title TEXT NOT NULL,
  handle TEXT,
  -- 0: the bot was removed.
  is_read INTEGER NOT NULL CHECK (is_read IN (0, 1)),
  -- When its card was last read; null: it is to be read.
  card_at INTEGER,
  -- Why its card could not be read, as JSON.
  fault TEXT,
  PRIMARY KEY (source_id, chat)
) STRICT, WITHOUT ROWID;

-- The last messages that are one post with others: an edit tells of one of them only.
CREATE TABLE source_album_parts (
  source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  chat TEXT NOT NULL,
  message_id INTEGER NOT NULL,
  album TEXT NOT NULL,
  -- The number of the message that the post has its own from.
  post_id INTEGER NOT NULL,
  text TEXT NOT NULL,
  media TEXT NOT NULL,
  PRIMARY KEY (source_id, chat, message_id)
) STRICT, WITHOUT ROWID;
`;
