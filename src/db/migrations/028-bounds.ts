/** Schema version 28. A migration that has shipped is never edited. */
export const bounds = `
-- The retention job finds what is too old by these, and whether a key still has usage.
CREATE INDEX audit_log_by_age ON audit_log (at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE INDEX usage_days_by_key ON usage_days (key_id);

-- 0: a mail of the appliance's own. Otherwise a stranger asked for it, and it was the rank's mail of their
-- network within the hour: those of a low rank are sent first.
ALTER TABLE mails ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;
DROP INDEX mails_due;
CREATE INDEX mails_due ON mails (rank, next_attempt_at);

-- Clients of OAuth are no longer stored: their ids describe them. Codes and grants know them by the
-- SHA-256 of their id.
DROP TABLE oauth_tokens;
DROP TABLE oauth_codes;
DROP TABLE oauth_grants;
DROP TABLE oauth_clients;
CREATE TABLE oauth_grants (
  key_id INTEGER PRIMARY KEY REFERENCES keys (id),
  client_hash BLOB NOT NULL,
  -- The host that the person was sent back to.
  host TEXT NOT NULL
) STRICT;
CREATE TABLE oauth_codes (
  hash BLOB PRIMARY KEY,
  client_hash BLOB NOT NULL,
  -- As the person who consented saw it.
  client_name TEXT NOT NULL,
  member_id INTEGER NOT NULL REFERENCES members (id),
  redirect_uri TEXT NOT NULL,
  -- Of PKCE, method S256.
  challenge TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  -- The grant that it was exchanged for.
  key_id INTEGER REFERENCES oauth_grants (key_id) ON DELETE SET NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_codes_by_end ON oauth_codes (expires_at);
CREATE INDEX oauth_codes_by_member ON oauth_codes (member_id);
CREATE INDEX oauth_codes_by_key ON oauth_codes (key_id);
CREATE TABLE oauth_tokens (
  hash BLOB PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES oauth_grants (key_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_tokens_by_key ON oauth_tokens (key_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (expires_at);
`;
