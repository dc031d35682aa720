/** Schema version 12. A migration that has shipped is never edited. */
export const oauth = `
-- Programs that ask people for access: registered by themselves, or described by the document at the https
-- address that is their id.
CREATE TABLE oauth_clients (
  id INTEGER PRIMARY KEY,
  client_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- A JSON list.
  redirect_uris TEXT NOT NULL,
  -- When it registered, or when its document was read last.
  read_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_clients_by_reading ON oauth_clients (read_at);

-- A person's key that a client has: it opens by access tokens only, and ends with its refresh token.
CREATE TABLE oauth_grants (
  key_id INTEGER PRIMARY KEY REFERENCES keys (id),
  client_id INTEGER NOT NULL REFERENCES oauth_clients (id),
  -- The host that the person was sent back to.
  host TEXT NOT NULL
) STRICT;
CREATE INDEX oauth_grants_by_client ON oauth_grants (client_id);

-- Authorization codes, by SHA-256. A used one is kept until it is pruned, so that its replay is seen.
CREATE TABLE oauth_codes (
  hash BLOB PRIMARY KEY,
  client_id INTEGER NOT NULL REFERENCES oauth_clients (id),
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
CREATE INDEX oauth_codes_by_client ON oauth_codes (client_id);
CREATE INDEX oauth_codes_by_key ON oauth_codes (key_id);

-- Access and refresh tokens, by SHA-256. A used refresh token is kept until its end, so that its replay is
-- seen.
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
