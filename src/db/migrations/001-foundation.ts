/** Schema version 1. A migration that has shipped is never edited. */
export const foundation = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('cursor_secret', randomblob(32));

CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  image TEXT,
  position INTEGER NOT NULL,
  channels INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE category_images (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;

CREATE TABLE territories (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('country', 'district', 'region', 'city')),
  parent TEXT REFERENCES territories (slug),
  path TEXT NOT NULL UNIQUE,
  position INTEGER NOT NULL,
  channels INTEGER NOT NULL DEFAULT 0,
  -- 1: its path changed, and its channels' search texts still have the old ancestors.
  is_moved INTEGER NOT NULL DEFAULT 0 CHECK (is_moved IN (0, 1))
) STRICT;
CREATE INDEX territories_parent ON territories (parent);

-- What the catalog walks and orders by. Kept narrow: a walk reads thousands of these rows.
CREATE TABLE channels (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('channel', 'chat')),
  is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
  subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
  quality REAL,
  citation REAL,
  last_post_at INTEGER,
  -- Folded title and handle, and the facets of the filters (channels/search-text.ts).
  search_text TEXT NOT NULL
) STRICT;
-- NULL is smaller than any value, so a descending index has the channels without one last. Each
-- has what a search tests (subscribers, since a range of them is a filter, and the search text), so
-- that a walk reads no rows: at a million channels that halves the slowest searches, for 0.3 GB.
-- The one by subscribers has the other orderings' values too, to sort a range of them.
CREATE INDEX channels_by_subscribers
  ON channels (kind, subscribers DESC, id, quality, citation, last_post_at, search_text)
  WHERE is_public = 1;
CREATE INDEX channels_by_quality
  ON channels (kind, quality DESC, id, subscribers, search_text) WHERE is_public = 1;
CREATE INDEX channels_by_citation
  ON channels (kind, citation DESC, id, subscribers, search_text) WHERE is_public = 1;
CREATE INDEX channels_by_last_post
  ON channels (kind, last_post_at DESC, id, subscribers, search_text) WHERE is_public = 1;

-- All else of a channel, read by id only. Category and territory are slugs that the importer
-- checks; as foreign keys they would make the removal of a directory entry scan this table.
CREATE TABLE channel_cards (
  id INTEGER PRIMARY KEY REFERENCES channels (id),
  msgr_id INTEGER UNIQUE,
  handle TEXT COLLATE NOCASE UNIQUE,
  title TEXT NOT NULL,
  description TEXT,
  link TEXT,
  image TEXT,
  category TEXT,
  categories TEXT NOT NULL,
  territory TEXT,
  a_plus INTEGER NOT NULL CHECK (a_plus IN (0, 1)),
  verified INTEGER NOT NULL CHECK (verified IN (0, 1))
) STRICT;

-- detail=none: half the size; whether trigrams stand together is tested on search_text.
CREATE VIRTUAL TABLE channel_search USING fts5 (
  search_text, content = '', contentless_delete = 1, detail = none,
  tokenize = 'trigram case_sensitive 1'
);
CREATE TRIGGER channel_search_insert AFTER INSERT ON channels WHEN new.is_public = 1 BEGIN
  INSERT INTO channel_search (rowid, search_text) VALUES (new.id, new.search_text);
END;
CREATE TRIGGER channel_search_update AFTER UPDATE OF search_text, is_public ON channels
WHEN old.search_text IS NOT new.search_text OR old.is_public <> new.is_public BEGIN
  DELETE FROM channel_search WHERE rowid = old.id AND old.is_public = 1;
  INSERT INTO channel_search (rowid, search_text)
    SELECT new.id, new.search_text WHERE new.is_public = 1;
END;

-- One channel's days lie together.
CREATE TABLE daily_statistics (
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  day INTEGER NOT NULL,
  subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
  views INTEGER NOT NULL CHECK (views >= 0),
  posts INTEGER NOT NULL CHECK (posts >= 0),
  PRIMARY KEY (channel_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE posts (
  id INTEGER PRIMARY KEY,
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  msgr_post_id INTEGER,
  published_at INTEGER NOT NULL,
  is_ad INTEGER NOT NULL CHECK (is_ad IN (0, 1)),
  views INTEGER NOT NULL CHECK (views >= 0),
  read_at INTEGER NOT NULL,
  link TEXT,
  text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX posts_by_messenger_id ON posts (channel_id, msgr_post_id);
CREATE INDEX posts_by_time ON posts (channel_id, published_at, id);
CREATE INDEX posts_ads_by_time ON posts (channel_id, published_at, id) WHERE is_ad = 1;

CREATE TABLE plans (
  code TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  requests_per_second INTEGER NOT NULL,
  requests_per_period INTEGER NOT NULL,
  posts INTEGER NOT NULL CHECK (posts IN (0, 1)),
  history_days INTEGER,
  webhooks INTEGER NOT NULL,
  webhook_channels INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO plans VALUES
  ('test', 0, 2, 1000, 0, 30, 0, 0),
  ('start', 1, 5, 30000, 1, NULL, 0, 0),
  ('growth', 2, 10, 150000, 1, NULL, 1, 500),
  ('profi', 3, 30, 1000000, 1, NULL, 5, 5000);

CREATE TABLE organizations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL REFERENCES plans (code),
  plan_started_at INTEGER NOT NULL,
  plan_ends_at INTEGER,
  created_at INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;

CREATE TABLE members (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  email TEXT NOT NULL COLLATE NOCASE,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'administrator', 'member')),
  created_at INTEGER NOT NULL,
  suspended_at INTEGER,
  UNIQUE (organization_id, email)
) STRICT;

CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  member_id INTEGER NOT NULL REFERENCES members (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  access TEXT NOT NULL CHECK (access IN ('read_only', 'read_write')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX keys_by_member ON keys (member_id);

-- Counts the changes of plans, organizations, members and keys, whoever makes them, so that a
-- serving process knows with one short read whether what it remembers still holds.
CREATE TABLE accounts_version (version INTEGER NOT NULL) STRICT;
INSERT INTO accounts_version VALUES (1);
CREATE TRIGGER plans_changed AFTER UPDATE ON plans BEGIN
  UPDATE accounts_version SET version = version + 1;
END;
CREATE TRIGGER organizations_changed AFTER UPDATE ON organizations BEGIN
  UPDATE accounts_version SET version = version + 1;
END;
CREATE TRIGGER members_changed AFTER UPDATE ON members BEGIN
  UPDATE accounts_version SET version = version + 1;
END;
-- Not for last_used_at, which serving itself writes all the time.
CREATE TRIGGER keys_changed AFTER UPDATE OF name, expires_at, revoked_at ON keys BEGIN
  UPDATE accounts_version SET version = version + 1;
END;

CREATE TABLE usage_periods (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  started_at INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (organization_id, started_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_days (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  day INTEGER NOT NULL,
  method TEXT NOT NULL,
  key_id INTEGER NOT NULL REFERENCES keys (id),
  status INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  units INTEGER NOT NULL,
  PRIMARY KEY (organization_id, day, method, key_id, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  failure TEXT
) STRICT, WITHOUT ROWID;
`;
