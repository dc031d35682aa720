/** Schema version 13. A migration that has shipped is never edited. */
export const firstHour = `
-- Channels of the sample that ships, each as it was loaded: one that an import changed since is the
-- operator's own, and is not removed with the sample.
CREATE TABLE sample_channels (
  id INTEGER PRIMARY KEY,
  handle TEXT,
  title TEXT NOT NULL,
  subscribers INTEGER NOT NULL
) STRICT;

-- The last requests of each key, for its owner: a hundred, for a week.
CREATE TABLE request_log (
  id INTEGER PRIMARY KEY,
  key_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  verb TEXT NOT NULL,
  -- With its query.
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  units INTEGER NOT NULL
) STRICT;
CREATE INDEX request_log_by_key ON request_log (key_id, id);
CREATE INDEX request_log_by_age ON request_log (at);

-- How the appliance was doing, hour by hour: requests with a good key, and how large the file was.
CREATE TABLE hours (
  started_at INTEGER PRIMARY KEY,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  slowest_us INTEGER NOT NULL,
  file_bytes INTEGER NOT NULL
) STRICT;

-- Mails that told an organization how much of a period's quota is used.
CREATE TABLE quota_mails (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  period_started_at INTEGER NOT NULL,
  percent INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period_started_at, percent)
) STRICT, WITHOUT ROWID;
`;
