import type { Database } from "../../db/database.ts";
import { foundRows } from "./found-rows.ts";

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
