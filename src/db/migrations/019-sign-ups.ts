/** Schema version 19. A migration that has shipped is never edited. */
export const signUps = `
-- Links that were mailed to visitors who want an account, each until it is used or too old.
CREATE TABLE sign_ups (
  -- SHA-256: who reads the file can open none.
  token_hash BLOB PRIMARY KEY,
  email TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ups_by_email ON sign_ups (email);
CREATE INDEX sign_ups_by_age ON sign_ups (expires_at);

-- How many requests of an hour took how long, by classes of durations (hours/durations.ts).
CREATE TABLE hour_durations (
  started_at INTEGER NOT NULL,
  class INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (started_at, class)
) STRICT, WITHOUT ROWID;
`;
