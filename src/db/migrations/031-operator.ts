/** Schema version 31: keys of the operator's API, and its requests that must not be carried out twice. */
export const operator = `
CREATE TABLE operator_keys (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  -- SHA-256 of the whole key.
  hash BLOB NOT NULL UNIQUE,
  -- JSON list of what it may do: read, customers, data, system.
  can TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

-- Requests with an Idempotency-Key, kept for a day.
CREATE TABLE operator_requests (
  key_id INTEGER NOT NULL REFERENCES operator_keys (id),
  -- SHA-256, in base64, of the caller's key and of the request that it was sent with.
  idempotency_key TEXT NOT NULL,
  request TEXT NOT NULL,
  -- When its latest attempt began.
  started_at INTEGER NOT NULL,
  -- Set in the transaction of the change.
  is_done INTEGER NOT NULL DEFAULT 0 CHECK (is_done IN (0, 1)),
  -- NULL until it is answered; the body is sealed, since it may contain a new key.
  status INTEGER,
  body BLOB,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_requests_by_start ON operator_requests (started_at);
`;
