/** Schema version 21. A migration that has shipped is never edited. */
export const alerts = `
ALTER TABLE plans ADD COLUMN alerts INTEGER NOT NULL DEFAULT 0;
UPDATE plans SET alerts = 10 WHERE code = 'growth';
UPDATE plans SET alerts = 200 WHERE code = 'profi';

-- Words that posts are searched for as they are read. Numbers are never used again: receivers know
-- alerts by them.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  q TEXT NOT NULL,
  -- Null where posts of all channels match. No foreign key: a channel may be deleted.
  channel_id INTEGER,
  -- Slugs, as channels have them.
  category TEXT,
  territory TEXT,
  is_ad INTEGER CHECK (is_ad IN (0, 1)),
  -- Posts read later than this are sent: the alert is as it is since then.
  since_sequence INTEGER NOT NULL,
  -- Posts up to this are cut into events.
  cut_sequence INTEGER NOT NULL DEFAULT 0,
  -- The Moscow day on which a post was cut last, and how many were on it.
  sent_day INTEGER NOT NULL DEFAULT 0,
  sent_posts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX alerts_by_organization ON alerts (organization_id, id);
CREATE INDEX alerts_by_webhook ON alerts (webhook_id);
-- Finds alerts that are past a post.
CREATE INDEX alerts_by_cut ON alerts (cut_sequence, since_sequence);
CREATE INDEX alerts_by_channel ON alerts (channel_id) WHERE channel_id IS NOT NULL;

-- The last changes of what alerts ask for: a process that keeps alerts in memory reads these again. One
-- that finds more changes made than are kept reads all alerts.
CREATE TABLE alert_changes (
  version INTEGER PRIMARY KEY AUTOINCREMENT,
  alert_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER alert_changes_kept AFTER INSERT ON alert_changes BEGIN
  DELETE FROM alert_changes WHERE version <= new.version - 500;
END;
CREATE TRIGGER alerts_added AFTER INSERT ON alerts BEGIN
  INSERT INTO alert_changes (alert_id) VALUES (new.id);
END;
CREATE TRIGGER alerts_changed AFTER UPDATE OF webhook_id, q, channel_id, category, territory, is_ad ON alerts BEGIN
  INSERT INTO alert_changes (alert_id) VALUES (new.id);
END;
CREATE TRIGGER alerts_removed AFTER DELETE ON alerts BEGIN
  INSERT INTO alert_changes (alert_id) VALUES (old.id);
END;
CREATE TRIGGER alert_webhooks_switched AFTER UPDATE OF disabled_reason ON webhooks
WHEN (old.disabled_reason = '') <> (new.disabled_reason = '') BEGIN
  INSERT INTO alert_changes (alert_id) SELECT id FROM alerts WHERE webhook_id = new.id;
END;

-- Posts of all channels in the order they were read, until alerts are matched with them. Apart from
-- read_posts, so that matching holds up no webhook's own posts.
CREATE TABLE alert_posts (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  post_id INTEGER NOT NULL REFERENCES posts (id)
) STRICT;
CREATE INDEX alert_posts_by_post ON alert_posts (post_id);
CREATE TRIGGER posts_read_by_alerts AFTER INSERT ON posts
WHEN new.published_at >= new.read_at - 2 * 24 * 60 * 60 * 1000
  AND EXISTS (SELECT 1 FROM alerts)
  AND NOT EXISTS (SELECT 1 FROM post_tombstones WHERE id = new.id)
BEGIN
  INSERT INTO alert_posts (post_id) VALUES (new.id);
END;
CREATE TRIGGER posts_removed_from_alerts BEFORE DELETE ON posts BEGIN
  DELETE FROM alert_posts WHERE post_id = old.id;
END;

-- Deliveries may be of post.matched, which is an alert's; the rest of the table is as it was.
CREATE TABLE new_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event TEXT NOT NULL CHECK (event IN ('post.created', 'post.matched', 'ping')),
  -- Numbers of the posts, as a JSON list.
  posts TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
  -- Scheduled attempts that failed.
  failures INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  -- Whose attempt is under way, and until when it can be.
  claim TEXT,
  claimed_until INTEGER,
  -- The alert that the posts matched, which may be deleted by now.
  alert_id INTEGER
) STRICT;
INSERT INTO new_deliveries (id, webhook_id, event, posts, created_at, state, failures, next_attempt_at,
    claim, claimed_until)
  SELECT id, webhook_id, event, posts, created_at, state, failures, next_attempt_at, claim, claimed_until
  FROM webhook_deliveries ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'new_deliveries';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'new_deliveries', seq FROM sqlite_sequence WHERE name = 'webhook_deliveries';
DROP TABLE webhook_deliveries;
ALTER TABLE new_deliveries RENAME TO webhook_deliveries;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at)
  WHERE state = 'pending';
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (webhook_id, claimed_until)
  WHERE claimed_until IS NOT NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
`;
