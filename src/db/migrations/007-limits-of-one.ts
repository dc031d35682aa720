/** Schema version 7. A migration that has shipped is never edited. */
export const limitsOfOne = `
-- The channels that a webhook watches, as a JSON list in the order given: shown as it lies. The rows of
-- webhook_channels say the same by channel, so that a changed list writes only what is not the same.
-- Apart from the webhook, whose row is written at each attempt.
CREATE TABLE webhook_lists (
  webhook_id INTEGER PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  channels TEXT NOT NULL
) STRICT;
INSERT INTO webhook_lists (webhook_id, channels)
  SELECT id, (
    SELECT json_group_array(channel_id) FROM (
      SELECT channel_id FROM webhook_channels WHERE webhook_id = webhooks.id ORDER BY position))
  FROM webhooks;
DROP INDEX webhook_channels_by_webhook;
ALTER TABLE webhook_channels DROP COLUMN position;
CREATE INDEX webhook_channels_by_webhook ON webhook_channels (webhook_id);

-- Pings and resends of the last minute, which are limited by organization and receiving host.
CREATE TABLE manual_attempts (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  host TEXT NOT NULL,
  attempted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX manual_attempts_by_host ON manual_attempts (organization_id, host, attempted_at);
CREATE INDEX manual_attempts_by_age ON manual_attempts (attempted_at);

-- The process that runs an import, and when it last said so: one that says nothing any more is gone.
ALTER TABLE import_runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE import_runs ADD COLUMN heartbeat_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX import_runs_running ON import_runs (id) WHERE state = 'running';

-- Where somebody is a member is asked for every page; what somebody did, by staff.
CREATE INDEX members_by_email ON members (email);
CREATE INDEX audit_log_by_person ON audit_log (person COLLATE NOCASE, id);

-- Networks from which somebody signed in before: guesses of others do not lock them out there. The
-- network is kept as a keyed hash.
CREATE TABLE known_networks (
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  network BLOB NOT NULL,
  signed_in_at INTEGER NOT NULL,
  PRIMARY KEY (person_id, network)
) STRICT, WITHOUT ROWID;
`;
