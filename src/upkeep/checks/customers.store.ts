import type { Database } from "../../db/database.ts";
import { foundRows } from "./finding.ts";

/**
 * SQL: each organization's units by period and by day, which are counted in one transaction. Rows by day
 * are removed after 400 days and periods are not, so the days may sum up to less only if some were removed.
 */
const UNITS = `
  SELECT organization_id AS id, sum(used) AS used,
    (SELECT coalesce(sum(units), 0) FROM usage_days d WHERE d.organization_id = p.organization_id)
      AS units
  FROM usage_periods p GROUP BY organization_id`;

/**
 * SQL: the instant since which no day was removed; an organization without an older period has all its days.
 */
const KEPT_SINCE = `86400000 * coalesce(
  (SELECT CAST(value AS INTEGER) + 1 FROM meta WHERE name = 'usage_removed_until'), 0)`;

export function usageFaults(db: Database): string[] {
  return foundRows(db, {
    "Organizations with more units by day than by period": `
       SELECT id AS name FROM (${UNITS}) WHERE units > used`,
    "Organizations with fewer units by day than by period": `SELECT id AS name
       FROM (${UNITS}) WHERE units < used AND NOT EXISTS (
         SELECT 1 FROM usage_periods WHERE organization_id = id AND started_at < ${KEPT_SINCE})`,
    "Organizations with units by day, but without a period": `SELECT DISTINCT organization_id AS name
       FROM usage_days d WHERE units > 0 AND NOT EXISTS (
         SELECT 1 FROM usage_periods WHERE organization_id = d.organization_id)`,
    "Organizations with negative counts": `SELECT organization_id AS name
       FROM usage_days WHERE requests < 1 OR units < 0
       UNION SELECT organization_id FROM usage_periods WHERE used < 0`,
  });
}

export function webhookFaults(db: Database): string[] {
  return foundRows(db, {
    "Webhooks whose list of channels is not what they watch": `SELECT w.id AS name
       FROM webhooks w LEFT JOIN webhook_lists l ON l.webhook_id = w.id
       -- A merge under way: both channels are watched until it ends.
       WHERE NOT EXISTS (SELECT 1 FROM removed_channels WHERE is_done = 0)
         -- Neither is a list that is being changed, whose rows follow.
         AND NOT EXISTS (SELECT 1 FROM changing_lists WHERE webhook_id = w.id)
         AND (json_array_length(coalesce(channels, '[]')) <>
           (SELECT count(*) FROM webhook_channels WHERE webhook_id = w.id)
         OR EXISTS (
           SELECT 1 FROM json_each(channels) given WHERE NOT EXISTS (
             SELECT 1 FROM webhook_channels
             WHERE channel_id = given.value AND webhook_id = w.id)))`,
    "Pending deliveries without a time for the next attempt": `SELECT id AS name
       FROM webhook_deliveries
       WHERE state = 'pending' AND next_attempt_at IS NULL`,
    "Deliveries that have ended but have a time for the next attempt": `SELECT id AS name
       FROM webhook_deliveries
       WHERE state <> 'pending' AND next_attempt_at IS NOT NULL`,
    "Pending deliveries without a body": `SELECT id AS name
       FROM webhook_deliveries d WHERE state = 'pending'
       AND NOT EXISTS (SELECT 1 FROM webhook_bodies WHERE delivery_id = d.id)`,
    "Deliveries claimed only by half": `SELECT id AS name FROM webhook_deliveries
       WHERE (claim IS NULL) <> (claimed_until IS NULL)`,
    "Deliveries whose list of posts cannot be read":
      "SELECT id AS name FROM webhook_deliveries WHERE NOT json_valid(posts)",
    "Posts that became an event of the same webhook twice": `
       SELECT 'webhook ' || webhook_id || ' post ' || value AS name
       FROM webhook_deliveries d, json_each(iif(json_valid(posts), posts, '[]'))
       WHERE event = 'post.created' GROUP BY webhook_id, value HAVING count(*) > 1`,
    "Posts that became an event of the same alert twice": `
       SELECT 'alert ' || alert_id || ' post ' || value AS name
       FROM webhook_deliveries d, json_each(iif(json_valid(posts), posts, '[]'))
       WHERE event = 'post.matched' GROUP BY alert_id, value HAVING count(*) > 1`,
    "Alerts of another organization than their webhook's": `SELECT a.id AS name
       FROM alerts a JOIN webhooks w ON w.id = a.webhook_id
       WHERE a.organization_id <> w.organization_id`,
    "Webhooks positioned after posts that were not read yet": `SELECT id AS name
       FROM webhooks WHERE since_sequence > (
         SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'read_posts')`,
  });
}
