/** Schema version 3. A migration that has shipped is never edited. */
export const site = `
-- People who sign in; the library better-auth reads and writes these four (people/auth.ts).
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  -- 1: who has the password has the mailbox, or got the link from staff. Else whoever invited them
  -- may have chosen it.
  email_verified INTEGER NOT NULL,
  -- Whether the latest password link went to the mailbox, or was made by staff.
  link_is_trusted INTEGER NOT NULL DEFAULT 0 CHECK (link_is_trusted IN (0, 1)),
  image TEXT,
  -- The operator's own people: they see the console.
  is_staff INTEGER NOT NULL DEFAULT 0 CHECK (is_staff IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  expires_at TEXT NOT NULL,
  ip_address TEXT,
  user_agent TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  access_token_expires_at TEXT,
  refresh_token_expires_at TEXT,
  scope TEXT,
  password TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX credentials_by_person ON credentials (person_id);
CREATE TABLE verifications (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX verifications_by_identifier ON verifications (identifier);

-- What staff and owners changed, by whom.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- The e-mail address as it was; empty for the command line.
  person TEXT NOT NULL,
  organization_id INTEGER,
  -- Such as key.create.
  action TEXT NOT NULL,
  -- What it was done to, such as key 3.
  target TEXT NOT NULL,
  -- Details as a JSON object; never a secret.
  details TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_by_organization ON audit_log (organization_id, id);

-- Imports that were started in the console.
CREATE TABLE import_runs (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  file_name TEXT NOT NULL,
  person TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed')),
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  -- The summary so far, as a JSON object.
  summary TEXT NOT NULL,
  -- The first rejected rows, as a JSON list.
  rejects TEXT NOT NULL,
  failure TEXT
) STRICT;

ALTER TABLE mails ADD COLUMN html TEXT NOT NULL DEFAULT '';
-- Why staff disabled it, for staff.
ALTER TABLE webhooks ADD COLUMN staff_note TEXT NOT NULL DEFAULT '';
`;
