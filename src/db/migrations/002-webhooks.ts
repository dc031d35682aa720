/** Schema version 2. A migration that has shipped is never edited. */
export const webhooks = `
-- Numbers are never used again: receivers know webhooks and deliveries by them.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  url TEXT NOT NULL,
  -- Encrypted with KANALOG_SECRET.
  secret BLOB NOT NULL,
  -- Signs beside the present one until an instant, after a rotation with an overlap.
  former_secret BLOB,
  former_secret_until INTEGER,
  -- Empty while active.
  disabled_reason TEXT NOT NULL CHECK (disabled_reason IN ('', 'failures', 'customer', 'staff')),
  -- Posts read later than this are sent: it was created, enabled, or its plan renewed then.
  since_sequence INTEGER NOT NULL,
  -- First failed attempt since the last success or since it was enabled.
  failing_since INTEGER,
  -- How much of the time since then no process was running.
  down_ms INTEGER NOT NULL DEFAULT 0,
  last_success_at INTEGER,
  -- How long the last attempt took; null before the first one.
  last_duration_ms INTEGER,
  last_error TEXT NOT NULL DEFAULT '',
  tested_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_organization ON webhooks (organization_id);
CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE failing_since IS NOT NULL;

CREATE TABLE webhook_channels (
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  -- Posts read later than this are sent: the channel has been watched since then.
  since_sequence INTEGER NOT NULL,
  PRIMARY KEY (channel_id, webhook_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_channels_by_webhook ON webhook_channels (webhook_id, position);

-- The posts of watched channels in the order they were read, until they are cut into events. A row
-- of the import's own transaction, so that neither a crash nor a wrong clock loses one.
CREATE TABLE read_posts (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  post_id INTEGER NOT NULL REFERENCES posts (id)
) STRICT;
CREATE TRIGGER posts_read AFTER INSERT ON posts
WHEN new.published_at >= new.read_at - 2 * 24 * 60 * 60 * 1000
  AND EXISTS (SELECT 1 FROM webhook_channels WHERE channel_id = new.channel_id)
BEGIN
  INSERT INTO read_posts (post_id) VALUES (new.id);
END;

-- One event for one webhook.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event TEXT NOT NULL CHECK (event IN ('post.created', 'ping')),
  -- Numbers of the posts, as a JSON list.
  posts TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
  -- Scheduled attempts that failed.
  failures INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  -- Whose attempt is under way, and until when it can be.
  claim TEXT,
  claimed_until INTEGER
) STRICT;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at)
  WHERE state = 'pending';
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (webhook_id, claimed_until)
  WHERE claimed_until IS NOT NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

-- What is sent, byte for byte. Apart, so that noting an attempt does not write it anew.
CREATE TABLE webhook_bodies (
  delivery_id INTEGER PRIMARY KEY REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE webhook_attempts (
  id INTEGER PRIMARY KEY,
  delivery_id INTEGER NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  attempted_at INTEGER NOT NULL,
  -- Null where no answer came.
  status INTEGER,
  -- Empty where it succeeded.
  error TEXT NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_id, id);

-- One row: when events were cut last, when a process last looked for what is due, and by when it
-- has attempted what fell due while none did.
CREATE TABLE webhook_look (
  batched_at INTEGER NOT NULL,
  looked_at INTEGER,
  overdue_until INTEGER NOT NULL
) STRICT;
INSERT INTO webhook_look VALUES (0, NULL, 0);

CREATE TABLE mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Addresses, as a JSON list.
  recipients TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  claim TEXT,
  claimed_until INTEGER
) STRICT;
CREATE INDEX mails_due ON mails (next_attempt_at);
`;
