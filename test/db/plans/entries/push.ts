import type { Entries } from "../compare.ts";

/** Statements by which events and mails are made and sent. */
export const push: Entries = {
  "push/mail/mails.store.ts claimMail": [
    {
      sql: "UPDATE mails SET claim = @claim, claimed_until = @until WHERE id = (SELECT id FROM mails WHERE next_attempt_at <= @nowMs AND (claimed_until IS NULL OR claimed_until <= @nowMs) ORDER BY next_attempt_at, id LIMIT 1) RETURNING id, recipients, subject, text, html",
      plan: [
        "SEARCH mails USING INTEGER PRIMARY KEY (rowid=?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH mails USING INDEX mails_due (next_attempt_at<?)",
      ],
      rows: 2,
    },
  ],
  "push/mail/mails.store.ts countMails": [
    {
      sql: "SELECT count(*) AS n FROM mails",
      plan: ["SCAN mails USING COVERING INDEX mails_due"],
      rows: 2000,
      why: "The queue, for metrics and staff: it is empty but where the mail server is down.",
    },
  ],
  "push/mail/mails.store.ts endMail": [
    {
      sql: "UPDATE mails SET failures = failures + 1 WHERE id = ? AND claim = ? RETURNING failures",
      plan: ["SEARCH mails USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM mails WHERE id = ?",
      plan: ["SEARCH mails USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE mails SET … WHERE id = ?",
      plan: ["SEARCH mails USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/mail/mails.store.ts isMailDue": [
    {
      sql: "SELECT 1 FROM mails WHERE next_attempt_at <= ? LIMIT 1",
      plan: ["SEARCH mails USING COVERING INDEX mails_due (next_attempt_at<?)"],
      rows: 1,
    },
  ],
  "push/mail/mails.store.ts setBackMails": [
    {
      sql: "UPDATE mails SET …",
      plan: ["SCAN mails"],
      rows: 2000,
      why: "Only where the clock was set back; the queue is empty but where the mail server is down.",
    },
  ],
  "push/webhooks/events/backlog.store.ts selectBacklog": [
    {
      sql: "SELECT count(*) AS n FROM ( SELECT 1 FROM webhooks w CROSS JOIN webhook_deliveries d ON d.webhook_id = w.id WHERE d.state = 'pending' AND d.next_attempt_at <= ? LIMIT 10000)",
      plan: [
        "CO-ROUTINE (subquery-1)",
        "  SCAN w USING COVERING INDEX webhooks_by_organization",
        "  SEARCH d USING COVERING INDEX webhook_deliveries_pending (webhook_id=? AND next_attempt_at<?)",
        "SCAN (subquery-1)",
      ],
      rows: 1100,
      why: "Webhooks, and what is due of each, up to COUNTED_MAX.",
    },
    {
      sql: "SELECT min(first) AS at FROM ( SELECT (SELECT min(next_attempt_at) FROM webhook_deliveries WHERE webhook_id = w.id AND state = 'pending') AS first FROM webhooks w) WHERE first <= ?",
      plan: [
        "SEARCH w USING COVERING INDEX webhooks_by_organization",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
      ],
      rows: 2100,
      why: "The first due time of each webhook.",
    },
    {
      sql: "SELECT count(*) AS n FROM (SELECT 1 FROM read_posts LIMIT 10000)",
      plan: ["CO-ROUTINE (subquery-1)", "  SCAN read_posts", "SCAN (subquery-1)"],
      rows: 5000,
      why: "Counted up to COUNTED_MAX.",
    },
  ],
  "push/webhooks/delivery/claim-due.ts claimDue": [
    {
      sql: "WITH due AS MATERIALIZED ( SELECT id, organization_id AS organizationId, CASE WHEN last_duration_ms IS NULL THEN 1 WHEN last_duration_ms <= @quickMs THEN 0 ELSE 2 END AS lane, (SELECT min(next_attempt_at) FROM webhook_deliveries WHERE webhook_id = w.id AND state = 'pending') AS dueAt FROM webhooks w WHERE disabled_reason = '' AND dueAt <= @nowMs) SELECT id, organizationId, lane FROM due ORDER BY lane, row_number() OVER (PARTITION BY lane, organizationId ORDER BY dueAt, id), dueAt, id",
      plan: [
        "CO-ROUTINE (subquery-4)",
        "  MATERIALIZE due",
        "    SCAN w",
        "    CORRELATED SCALAR SUBQUERY 1",
        "      SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
        "    CORRELATED SCALAR SUBQUERY 1",
        "      SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
        "  SCAN due",
        "  USE TEMP B-TREE FOR ORDER BY",
        "SCAN (subquery-4)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 3000,
      why: "The first due time of each webhook that there is, found in its index.",
    },
  ],
  "push/webhooks/events/cut-events.ts cutEvents": [
    {
      sql: "SELECT organization_id AS organizationId FROM webhooks WHERE id = ?",
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "SELECT p.id FROM webhooks w CROSS JOIN json_each(@sequences) wanted CROSS JOIN read_posts r ON r.sequence = wanted.value AND r.sequence > w.since_sequence CROSS JOIN posts p ON p.id = r.post_id CROSS JOIN webhook_channels wc ON wc.channel_id = p.channel_id AND wc.webhook_id = w.id AND wc.since_sequence < r.sequence CROSS JOIN channels c ON c.id = p.channel_id AND c.is_public = 1 WHERE w.id = @webhookId AND w.disabled_reason = '' AND p.published_at >= @freshFrom ORDER BY p.published_at, p.id",
      plan: [
        "SEARCH w USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN wanted VIRTUAL TABLE INDEX 1:",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH wc USING PRIMARY KEY (channel_id=? AND webhook_id=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 5100,
      why: "Posts of a part that are of the webhook's channels, each found by its number: five rows a post.",
    },
    {
      sql: "UPDATE webhooks SET since_sequence = @last WHERE id = @webhookId AND since_sequence < @last",
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/cut-events.ts endPart": [
    {
      sql: "DELETE FROM read_posts WHERE sequence <= ?",
      plan: ["SEARCH read_posts USING INTEGER PRIMARY KEY (rowid<?)"],
      rows: 1000,
      why: "The posts of one part.",
    },
  ],
  "push/webhooks/events/cut-events.ts nextPart": [
    {
      sql: "SELECT … FROM read_posts r CROSS JOIN posts p ON p.id = r.post_id LEFT JOIN webhook_channels wc ON wc.channel_id = p.channel_id ORDER BY r.sequence",
      plan: [
        "SCAN r",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH wc USING PRIMARY KEY (channel_id=?) LEFT-JOIN",
      ],
      rows: 10500,
      why: "The posts of one part, and who watches the channel of each; it is left when the part is full.",
    },
  ],
  "push/webhooks/manage/deliveries-log.store.ts selectDeliveries": [
    {
      sql: "SELECT … FROM webhook_deliveries WHERE webhook_id = @webhookId AND id < @before ORDER BY id DESC LIMIT @limit",
      plan: [
        "SEARCH webhook_deliveries USING INDEX webhook_deliveries_by_webhook (webhook_id=? AND id<?)",
      ],
      rows: 110,
    },
    {
      sql: "SELECT … FROM webhook_attempts WHERE delivery_id = ? ORDER BY id",
      plan: ["SEARCH webhook_attempts USING INDEX webhook_attempts_by_delivery (delivery_id=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts attemptsUnderWay": [
    {
      sql: "SELECT count(*) AS claimed FROM webhook_deliveries WHERE webhook_id = ? AND claimed_until > ?",
      plan: [
        "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_claimed (webhook_id=? AND claimed_until>?)",
      ],
      rows: 8,
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts claimDelivery": [
    {
      sql: "UPDATE webhook_deliveries SET claim = ?, claimed_until = ? WHERE id = ?",
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "SELECT … FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN webhook_bodies b ON b.delivery_id = d.id WHERE d.id = @id",
      plan: [
        "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH w USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 3,
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts deleteDeliveries": [
    {
      sql: "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = ? LIMIT ?)",
      plan: [
        "SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_webhook (webhook_id=?)",
        "SEARCH webhook_attempts USING COVERING INDEX webhook_attempts_by_delivery (delivery_id=?)",
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 20,
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts dueDeliveries": [
    {
      sql: "SELECT id FROM webhook_deliveries WHERE webhook_id = @webhookId AND state = 'pending' AND next_attempt_at <= @nowMs AND (claimed_until IS NULL OR claimed_until <= @nowMs) ORDER BY next_attempt_at, id LIMIT @limit",
      plan: [
        "SEARCH webhook_deliveries USING INDEX webhook_deliveries_pending (webhook_id=? AND next_attempt_at<?)",
      ],
      rows: 8,
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts idsOf": [
    {
      sql: "SELECT id FROM webhook_deliveries WHERE id > ? AND created_at < ? AND state <> 'pending' ORDER BY id LIMIT ?",
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 24000,
      why: "Goes on where the part before it ended: all parts together read the log once, outside of any transaction.",
    },
    {
      sql: "SELECT b.delivery_id AS id FROM webhook_bodies b CROSS JOIN webhook_deliveries d ON d.id = b.delivery_id WHERE b.delivery_id > ? AND d.created_at < ? AND d.state <> 'pending' ORDER BY b.delivery_id LIMIT ?",
      plan: [
        "SEARCH b USING INTEGER PRIMARY KEY (rowid>?)",
        "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2000,
      why: "Goes on where the part before it ended: all parts together read the bodies once, outside of any transaction.",
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts removal": [
    {
      sql: "DELETE FROM webhook_deliveries WHERE id = ?",
      plan: [
        "SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_attempts USING COVERING INDEX webhook_attempts_by_delivery (delivery_id=?)",
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1,
    },
    {
      sql: "DELETE FROM webhook_bodies WHERE delivery_id = ?",
      plan: ["SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts selectDelivery": [
    {
      sql: "SELECT … FROM webhook_deliveries WHERE id = ?",
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/drop-queue.ts deadQueues": [
    {
      sql: "SELECT … FROM webhooks w WHERE failing_since IS NOT NULL OR EXISTS ( SELECT 1 FROM webhook_deliveries WHERE webhook_id = w.id AND state = 'pending')",
      plan: [
        "SCAN w",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
      ],
      rows: 2000,
      why: "Whether each webhook has something pending.",
    },
  ],
  "push/webhooks/events/drop-queue.ts dropSome": [
    {
      sql: "UPDATE webhook_deliveries SET … WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = ? AND state = 'pending' LIMIT 200)",
      plan: [
        "SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
      ],
      rows: 400,
      why: "200 deliveries, found and written.",
    },
  ],
  "push/webhooks/events/drop-queue.ts getsEvents": [
    {
      sql: "SELECT organization_id AS organizationId FROM webhooks WHERE id = ? AND disabled_reason = ''",
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/due-work.ts failing": [
    {
      sql: "SELECT id FROM webhooks w WHERE failing_since <= @failedFrom AND disabled_reason = '' AND ( down_ms <= @downMax OR NOT EXISTS ( SELECT 1 FROM webhook_deliveries WHERE webhook_id = w.id AND state = 'pending' AND next_attempt_at <= @overdueUntil))",
      plan: [
        "SEARCH w USING INDEX webhooks_failing (failing_since<?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=? AND next_attempt_at<?)",
      ],
      rows: 30,
    },
  ],
  "push/webhooks/events/due-work.ts isAttemptDue": [
    {
      sql: "SELECT 1 FROM webhooks w WHERE ( SELECT min(next_attempt_at) FROM webhook_deliveries WHERE webhook_id = w.id AND state = 'pending') <= ? LIMIT 1",
      plan: [
        "SCAN w USING COVERING INDEX webhooks_by_organization",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
      ],
      rows: 2000,
      why: "The first due time of each webhook, until one is due.",
    },
  ],
  "push/webhooks/events/due-work.ts isWorkDue": [
    {
      sql: "SELECT 1 FROM webhooks WHERE failing_since <= ? LIMIT 1",
      plan: ["SEARCH webhooks USING COVERING INDEX webhooks_failing (failing_since<?)"],
      rows: 0,
    },
  ],
  "push/webhooks/events/due-work.ts lookAfterWebhooks": [
    {
      sql: "UPDATE webhook_look SET batched_at = ?",
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/end-attempt.ts endAttempt": [
    {
      sql: "SELECT failures, state FROM webhook_deliveries WHERE id = ? AND claim = ?",
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE webhook_deliveries SET … WHERE id = @deliveryId",
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/end-attempt.ts noteOutcome": [
    {
      sql: "UPDATE webhooks SET … WHERE id = @webhookId",
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/exchange.ts releaseClaims": [
    {
      sql: "UPDATE webhook_deliveries SET claim = NULL, claimed_until = NULL WHERE id = ? AND claim = ?",
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/look.ts noteDownTime": [
    {
      sql: "UPDATE webhooks SET … WHERE failing_since < @nowMs",
      plan: ["SEARCH webhooks USING INDEX webhooks_failing (failing_since<?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/look.ts noteLook": [
    {
      sql: "UPDATE webhook_look SET looked_at = ?",
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
  ],
  "push/webhooks/events/look.ts readLook": [
    {
      sql: "SELECT … FROM webhook_look",
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
  ],
  "push/webhooks/events/look.ts setBack": [
    {
      sql: "UPDATE webhook_look SET …",
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
    {
      sql: "UPDATE webhook_deliveries SET … WHERE state = 'pending'",
      plan: ["SCAN webhook_deliveries USING INDEX webhook_deliveries_pending"],
      rows: 2000,
      why: "Only where the clock was set back: all that waits gets another time at once.",
    },
    {
      sql: "UPDATE webhook_deliveries SET claimed_until = claimed_until - @byMs WHERE claimed_until IS NOT NULL",
      plan: ["SCAN webhook_deliveries USING INDEX webhook_deliveries_claimed"],
      rows: 1,
      why: "Only where the clock was set back: all that waits gets another time at once.",
    },
    {
      sql: "UPDATE webhooks SET failing_since = failing_since - @byMs WHERE failing_since IS NOT NULL",
      plan: ["SEARCH webhooks USING INDEX webhooks_failing (failing_since>?)"],
      rows: 1,
    },
    {
      sql: "UPDATE webhooks SET tested_at = tested_at - @byMs WHERE tested_at IS NOT NULL",
      plan: ["SCAN webhooks"],
      rows: 1000,
      why: "Only where the clock was set back: all that waits gets another time at once.",
    },
    {
      sql: "UPDATE webhooks SET … WHERE former_secret_until IS NOT NULL",
      plan: ["SCAN webhooks"],
      rows: 1000,
      why: "Only where the clock was set back: all that waits gets another time at once.",
    },
  ],
  "push/webhooks/events/look.ts spreadOverdue": [
    {
      sql: "SELECT d.id, d.next_attempt_at AS dueAt FROM webhooks w CROSS JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at < ? LIMIT 2000",
      plan: [
        "SCAN w USING COVERING INDEX webhooks_by_organization",
        "SEARCH d USING COVERING INDEX webhook_deliveries_pending (webhook_id=? AND next_attempt_at<?)",
      ],
      rows: 2600,
      why: "Webhooks, and of what is overdue the first 2,000.",
    },
    {
      sql: "UPDATE webhook_deliveries SET next_attempt_at = ? WHERE id = ?",
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE webhook_look SET overdue_until = ?",
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/manual-limit.ts takeManualAttempt": [
    {
      sql: "DELETE FROM manual_attempts WHERE attempted_at <= @from OR attempted_at > @nowMs",
      plan: [
        "MULTI-INDEX OR",
        "  INDEX 1",
        "    SEARCH manual_attempts USING COVERING INDEX manual_attempts_by_age (attempted_at<?)",
        "  INDEX 2",
        "    SEARCH manual_attempts USING COVERING INDEX manual_attempts_by_age (attempted_at>?)",
      ],
      rows: 0,
    },
    {
      sql: "SELECT attempted_at AS at FROM manual_attempts WHERE organization_id = ? AND host = ? ORDER BY attempted_at",
      plan: [
        "SEARCH manual_attempts USING COVERING INDEX manual_attempts_by_host (organization_id=? AND host=?)",
      ],
      rows: 2,
    },
  ],
  "push/webhooks/events/served.ts isServed": [
    {
      sql: "SELECT … FROM organizations WHERE id = ? AND archived_at IS NULL",
      plan: ["SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/served.ts webhooksOf": [
    {
      sql: "SELECT webhooks FROM plans WHERE code = ?",
      plan: ["SEARCH plans USING PRIMARY KEY (code=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/stalled-warning.ts stalledWarning": [
    {
      sql: "SELECT p.read_at AS readAt FROM read_posts r CROSS JOIN posts p ON p.id = r.post_id ORDER BY r.sequence LIMIT 1",
      plan: ["SCAN r", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 2,
      why: "The first row is enough.",
    },
  ],
  "push/webhooks/manage/webhooks.store.ts activeWebhooks": [
    {
      sql: 'select … from "webhooks" where "webhooks"."disabled_reason" = ?',
      plan: ["SCAN webhooks"],
      rows: 1000,
      why: "At the start only: whether each secret can be read.",
    },
  ],
  "push/webhooks/manage/webhooks.store.ts anyWebhook": [
    {
      sql: "SELECT 1 FROM webhooks LIMIT 1",
      plan: ["SCAN webhooks USING COVERING INDEX webhooks_by_organization"],
      rows: 1,
      why: "The first row is enough.",
    },
  ],
  "push/webhooks/manage/webhooks.store.ts channelsOf": [
    {
      sql: "SELECT channels FROM webhook_lists WHERE webhook_id = ?",
      plan: ["SEARCH webhook_lists USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts countWebhooks": [
    {
      sql: 'select count(*) from "webhooks" where "webhooks"."organization_id" = ?',
      plan: ["SEARCH webhooks USING COVERING INDEX webhooks_by_organization (organization_id=?)"],
      rows: 5,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts insertWebhook": [
    {
      sql: 'insert into "webhooks" (…) values (…) returning "id"',
      plan: [
        "SEARCH webhook_lists USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_webhook (webhook_id=?)",
        "SEARCH webhook_channels USING INDEX webhook_channels_by_webhook (webhook_id=?)",
      ],
      rows: 0,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts lastSequence": [
    {
      sql: "SELECT seq FROM sqlite_sequence WHERE name = 'read_posts'",
      plan: ["SCAN sqlite_sequence"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts replaceChannels": [
    {
      sql: "INSERT INTO webhook_channels (channel_id, webhook_id, since_sequence) SELECT value, ?, ? FROM json_each(?)",
      plan: ["SCAN json_each VIRTUAL TABLE INDEX 1:"],
      rows: 5000,
      why: "The channels that were added or removed: 5,000 are a plan's most.",
    },
    {
      sql: "DELETE FROM webhook_channels WHERE webhook_id = ? AND channel_id IN (SELECT value FROM json_each(?))",
      plan: [
        "SEARCH webhook_channels USING INDEX webhook_channels_by_webhook (webhook_id=? AND channel_id=?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
      ],
      rows: 9994,
      why: "The channels that were added or removed: 5,000 are a plan's most.",
    },
  ],
  "push/webhooks/manage/webhooks.store.ts selectWebhook": [
    {
      sql: 'select … from "webhooks" where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts selectWebhooks": [
    {
      sql: 'select … from "webhooks" where ("webhooks"."organization_id" = ? and "webhooks"."id" > ?) order by "webhooks"."id" asc limit ?',
      plan: [
        "SEARCH webhooks USING INDEX webhooks_by_organization (organization_id=? AND rowid>?)",
      ],
      rows: 5,
    },
    {
      sql: 'select … from "webhooks" where "webhooks"."id" > ? order by "webhooks"."id" asc limit ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 1000,
      why: "Staff's list of all webhooks.",
    },
  ],
  "push/webhooks/manage/webhooks.store.ts unknownChannels": [
    {
      sql: "SELECT given.value AS id FROM json_each(?) given WHERE NOT EXISTS (SELECT 1 FROM channels WHERE id = given.value AND is_public = 1)",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 10000,
      why: "The channels given, and each one's row: 5,000 are a plan's most.",
    },
  ],
  "push/webhooks/manage/webhooks.store.ts updateWebhook": [
    {
      sql: 'update "webhooks" set … where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: 'update "webhooks" set "updated_at" = ? where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: 'update "webhooks" set "url" = ? where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: 'update "webhooks" set "disabled_reason" = ?, "updated_at" = ? where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: 'update "webhooks" set "tested_at" = ? where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: 'update "webhooks" set "staff_note" = ? where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts webhooksOf": [
    {
      sql: 'select "id" from "webhooks" where "webhooks"."organization_id" = ?',
      plan: ["SEARCH webhooks USING COVERING INDEX webhooks_by_organization (organization_id=?)"],
      rows: 5,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts deleteWebhook": [
    {
      sql: 'delete from "webhooks" where "webhooks"."id" = ?',
      plan: [
        "SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_lists USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_webhook (webhook_id=?)",
        "SEARCH webhook_channels USING INDEX webhook_channels_by_webhook (webhook_id=?)",
      ],
      rows: 1,
    },
  ],
};
