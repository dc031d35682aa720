import type { Entries } from "../compare.ts";

/** Statements that create and send events and mails. */
export const push: Entries = {
  "push/mail/mails.store.ts setBackMails": [
    {
      sql: 'update "mails" set …',
      plan: ["SCAN mails"],
      rows: 1997,
      why: "Only where the clock was set back; the queue is empty but where the mail server is down.",
    },
  ],
  "push/mail/mails.store.ts counted": [
    {
      sql: 'select count(*) from "mails"',
      plan: ["SCAN mails USING COVERING INDEX mails_due"],
      rows: 2002,
      why: "The queue, for metrics and staff: it is empty but where the mail server is down.",
    },
  ],
  "push/mail/mails.store.ts countFailure": [
    {
      sql: 'update "mails" set "failures" = "mails"."failures" + 1 where ("mails"."id" = ? and "mails"."claim" = ?) returning "failures"',
      plan: ["SEARCH mails USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/mail/mails.store.ts due": [
    {
      sql: 'select "id" from "mails" where "mails"."next_attempt_at" <= ? limit ?',
      plan: ["SEARCH mails USING COVERING INDEX mails_due (next_attempt_at<?)"],
      rows: 1,
    },
  ],
  "push/mail/mails.store.ts postpone": [
    {
      sql: 'update "mails" set … where ("mails"."id" = ? and "mails"."claim" = ?)',
      plan: ["SEARCH mails USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/mail/mails.store.ts remove": [
    {
      sql: 'delete from "mails" where ("mails"."id" = ? and "mails"."claim" = ?)',
      plan: ["SEARCH mails USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/mail/mails.store.ts take": [
    {
      sql: 'update "mails" set "claim" = ?, "claimed_until" = ? where "mails"."id" = ?',
      plan: ["SEARCH mails USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/mail/mails.store.ts unclaimed": [
    {
      sql: 'select … from "mails" where ("mails"."next_attempt_at" <= ? and ("mails"."claimed_until" is null or "mails"."claimed_until" <= ?)) order by "mails"."next_attempt_at" asc, "mails"."id" asc limit ?',
      plan: ["SEARCH mails USING INDEX mails_due (next_attempt_at<?)"],
      rows: 1,
    },
  ],
  "push/mail/mails.store.ts dropOldMails": [
    {
      sql: 'delete from "mails" where "mails"."created_at" <= ?',
      plan: ["SCAN mails"],
      rows: 2001,
      why: "Only where the clock was set back; the queue is empty but where the mail server is down.",
    },
  ],
  "push/webhooks/events/backlog.store.ts due": [
    {
      sql: 'select count(*) from (select "webhook_deliveries"."id" from "webhooks" cross join "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = "webhooks"."id" and "webhook_deliveries"."state" = \'pending\' and "webhook_deliveries"."next_attempt_at" <= ?) limit ?) "due"',
      plan: [
        "CO-ROUTINE due",
        "  SCAN webhooks USING COVERING INDEX webhooks_by_organization",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=? AND next_attempt_at<?)",
        "SCAN due",
      ],
      rows: 1100,
      why: "Webhooks, and what is due of each, up to COUNTED_MAX.",
    },
  ],
  "push/webhooks/events/backlog.store.ts oldestDue": [
    {
      sql: 'select min("at") from (select (select min("next_attempt_at") from "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = "webhooks"."id" and "webhook_deliveries"."state" = \'pending\')) as "at" from "webhooks") "first" where "at" <= ?',
      plan: [
        "SEARCH webhooks USING COVERING INDEX webhooks_by_organization",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
      ],
      rows: 2005,
      why: "The first due time of each webhook.",
    },
  ],
  "push/webhooks/events/backlog.store.ts waiting": [
    {
      sql: 'select count(*) from (select "sequence" from "read_posts" limit ?) "waiting"',
      plan: ["CO-ROUTINE waiting", "  SCAN read_posts", "SCAN waiting"],
      rows: 5000,
      why: "Counted up to COUNTED_MAX.",
    },
  ],
  "push/webhooks/events/backlog.store.ts waitingForAlerts": [
    {
      sql: 'select count(*) from (select "sequence" from "alert_posts" limit ?) "waiting"',
      plan: ["CO-ROUTINE waiting", "  SCAN alert_posts", "SCAN waiting"],
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
  "push/webhooks/manage/deliveries-log.store.ts page": [
    {
      sql: 'select … from (select … from "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = ? and "webhook_deliveries"."id" < ?) order by "webhook_deliveries"."id" desc limit ?) "delivery" left join "webhook_attempts" on "webhook_attempts"."delivery_id" = "delivery"."id" order by "delivery"."id" desc, "webhook_attempts"."id" asc',
      plan: [
        "CO-ROUTINE delivery",
        "  SEARCH webhook_deliveries USING INDEX webhook_deliveries_by_webhook (webhook_id=? AND id<?)",
        "SCAN delivery",
        "SEARCH webhook_attempts USING INDEX webhook_attempts_by_delivery (delivery_id=?) LEFT-JOIN",
        "USE TEMP B-TREE FOR LAST TERM OF ORDER BY",
      ],
      rows: 202,
      why: "Scans the one page; what is sorted are the few attempts of one delivery at a time.",
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts add": [
    {
      sql: 'insert into "webhook_deliveries" (…) values (…) returning "id"',
      plan: [
        "SEARCH webhook_attempts USING COVERING INDEX webhook_attempts_by_delivery (delivery_id=?)",
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 0,
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts deliveryById": [
    {
      sql: 'select … from "webhook_deliveries" where "webhook_deliveries"."id" = ?',
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/deliveries.store.ts removeSome": [
    {
      sql: 'delete from "webhook_deliveries" where "webhook_deliveries"."id" in (select "id" from "webhook_deliveries" where "webhook_deliveries"."webhook_id" = ? limit ?)',
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
  "push/webhooks/delivery/prune-deliveries.store.ts bodiesBefore": [
    {
      sql: 'select "webhook_bodies"."delivery_id" from "webhook_bodies" cross join "webhook_deliveries" where ("webhook_deliveries"."id" = "webhook_bodies"."delivery_id" and "webhook_bodies"."delivery_id" > ? and "webhook_deliveries"."created_at" < ? and "webhook_deliveries"."state" <> ?) order by "webhook_bodies"."delivery_id" asc limit ?',
      plan: [
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid>?)",
        "SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 3766,
      why: "Goes on where the part before it ended: all parts together read the bodies once, outside of any transaction.",
    },
  ],
  "push/webhooks/delivery/prune-deliveries.store.ts deliveriesBefore": [
    {
      sql: 'select "id" from "webhook_deliveries" where ("webhook_deliveries"."id" > ? and "webhook_deliveries"."created_at" < ? and "webhook_deliveries"."state" <> ?) order by "webhook_deliveries"."id" asc limit ?',
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 24936,
      why: "Goes on where the part before it ended: all parts together read the log once, outside of any transaction.",
    },
  ],
  "push/webhooks/delivery/prune-deliveries.store.ts removeBody": [
    {
      sql: 'delete from "webhook_bodies" where "webhook_bodies"."delivery_id" = ?',
      plan: ["SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/prune-deliveries.store.ts removeDelivery": [
    {
      sql: 'delete from "webhook_deliveries" where "webhook_deliveries"."id" = ?',
      plan: [
        "SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_attempts USING COVERING INDEX webhook_attempts_by_delivery (delivery_id=?)",
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/claims.store.ts contentById": [
    {
      sql: 'select … from "webhook_deliveries" inner join "webhooks" on "webhooks"."id" = "webhook_deliveries"."webhook_id" inner join "webhook_bodies" on "webhook_bodies"."delivery_id" = "webhook_deliveries"."id" where "webhook_deliveries"."id" = ?',
      plan: [
        "SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 3,
    },
  ],
  "push/webhooks/delivery/claims.store.ts release": [
    {
      sql: 'update "webhook_deliveries" set "claim" = ?, "claimed_until" = ? where ("webhook_deliveries"."id" = ? and "webhook_deliveries"."claim" = ?)',
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/claims.store.ts take": [
    {
      sql: 'update "webhook_deliveries" set "claim" = ?, "claimed_until" = ? where "webhook_deliveries"."id" = ?',
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/claims.store.ts anyDue": [
    {
      sql: 'select "id" from "webhooks" where (select min("next_attempt_at") from "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = "webhooks"."id" and "webhook_deliveries"."state" = \'pending\')) <= ? limit ?',
      plan: [
        "SCAN webhooks USING COVERING INDEX webhooks_by_organization",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
      ],
      rows: 2000,
      why: "The first due time of each webhook, until one is due.",
    },
  ],
  "push/webhooks/delivery/claims.store.ts dueIds": [
    {
      sql: 'select "id" from "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = ? and "webhook_deliveries"."state" = \'pending\' and "webhook_deliveries"."next_attempt_at" <= ? and ("webhook_deliveries"."claimed_until" is null or "webhook_deliveries"."claimed_until" <= ?)) order by "webhook_deliveries"."next_attempt_at" asc, "webhook_deliveries"."id" asc limit ?',
      plan: [
        "SEARCH webhook_deliveries USING INDEX webhook_deliveries_pending (webhook_id=? AND next_attempt_at<?)",
      ],
      rows: 8,
    },
  ],
  "push/webhooks/delivery/claims.store.ts underWay": [
    {
      sql: 'select count(*) from "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = ? and "webhook_deliveries"."claimed_until" > ?)',
      plan: [
        "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_claimed (webhook_id=? AND claimed_until>?)",
      ],
      rows: 8,
    },
  ],
  "push/webhooks/manage/watched-channels.store.ts deleteRows": [
    {
      sql: "DELETE FROM webhook_channels WHERE webhook_id = ? AND channel_id IN (SELECT value FROM json_each(?))",
      plan: [
        "SEARCH webhook_channels USING INDEX webhook_channels_by_webhook (webhook_id=? AND channel_id=?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
      ],
      rows: 200,
      why: "A step of a change: 100 channels.",
    },
  ],
  "push/webhooks/manage/watched-channels.store.ts endChange": [
    {
      sql: 'delete from "changing_lists" where "changing_lists"."webhook_id" = ?',
      plan: ["SEARCH changing_lists USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/watched-channels.store.ts firstChanging": [
    {
      sql: 'select "webhook_id" from "changing_lists" limit ?',
      plan: ["SCAN changing_lists"],
      rows: 0,
      why: "The first row is enough.",
    },
  ],
  "push/webhooks/manage/watched-channels.store.ts goneOf": [
    {
      sql: "SELECT given.value AS id, m.into_id AS intoId FROM json_each(?) given LEFT JOIN removed_channels m ON m.id = given.value WHERE NOT EXISTS (SELECT 1 FROM channels WHERE id = given.value)",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
      ],
      rows: 200,
      why: "A step of a change: 100 channels.",
    },
  ],
  "push/webhooks/manage/watched-channels.store.ts insertRows": [
    {
      sql: "INSERT INTO webhook_channels (channel_id, webhook_id, since_sequence) SELECT value, ?, ? FROM json_each(?)",
      plan: ["SCAN json_each VIRTUAL TABLE INDEX 1:"],
      rows: 100,
      why: "A step of a change: 100 channels.",
    },
  ],
  "push/webhooks/manage/watched-channels.store.ts listOf": [
    {
      sql: 'select "webhook_id", "channels" from "webhook_lists" where "webhook_lists"."webhook_id" = ?',
      plan: ["SEARCH webhook_lists USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/watched-channels.store.ts rowsOf": [
    {
      sql: "SELECT channel_id AS id FROM webhook_channels WHERE webhook_id = ?",
      plan: [
        "SEARCH webhook_channels USING COVERING INDEX webhook_channels_by_webhook (webhook_id=?)",
      ],
      rows: 5000,
      why: "All that one webhook watches: 5,000 channels at the most, in the index alone.",
    },
  ],
  "push/webhooks/manage/watched-channels.store.ts servedOf": [
    {
      sql: 'select "webhook_id", "served" from "changing_lists" where "changing_lists"."webhook_id" = ?',
      plan: ["SEARCH changing_lists USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts insertWebhook": [
    {
      sql: 'insert into "webhooks" (…) values (…) returning "id"',
      plan: [
        "SEARCH changing_lists USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_webhook (webhook_id=?)",
        "SEARCH alerts USING COVERING INDEX alerts_by_webhook (webhook_id=?)",
        "SEARCH webhook_lists USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_channels USING INDEX webhook_channels_by_webhook (webhook_id=?)",
      ],
      rows: 0,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts selectWebhooks": [
    {
      sql: 'select … from "webhooks" order by "webhooks"."id" asc',
      plan: ["SCAN webhooks"],
      rows: 1000,
      why: "Staff's list of all webhooks; at the start, whether each secret can be read.",
    },
    {
      sql: 'select … from "webhooks" where "webhooks"."organization_id" = ? order by "webhooks"."id" asc',
      plan: ["SEARCH webhooks USING INDEX webhooks_by_organization (organization_id=?)"],
      rows: 5,
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
  "push/webhooks/manage/webhooks.store.ts counted": [
    {
      sql: 'select count(*) from "webhooks" where "webhooks"."organization_id" = ?',
      plan: ["SEARCH webhooks USING COVERING INDEX webhooks_by_organization (organization_id=?)"],
      rows: 5,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts first": [
    {
      sql: 'select "id" from "webhooks" limit ?',
      plan: ["SCAN webhooks USING COVERING INDEX webhooks_by_organization"],
      rows: 1,
      why: "The first row is enough.",
    },
  ],
  "push/webhooks/manage/webhooks.store.ts remove": [
    {
      sql: 'delete from "webhooks" where "webhooks"."id" = ?',
      plan: [
        "SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH changing_lists USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_webhook (webhook_id=?)",
        "SEARCH alerts USING COVERING INDEX alerts_by_webhook (webhook_id=?)",
        "SEARCH webhook_lists USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_channels USING INDEX webhook_channels_by_webhook (webhook_id=?)",
      ],
      rows: 1,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts watchingById": [
    {
      sql: 'select … from "webhooks" left join "webhook_lists" on "webhook_lists"."webhook_id" = "webhooks"."id" where "webhooks"."id" = ?',
      plan: [
        "SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_lists USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
      ],
      rows: 2,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts watchingOfOrganization": [
    {
      sql: 'select … from "webhooks" left join "webhook_lists" on "webhook_lists"."webhook_id" = "webhooks"."id" where ("webhooks"."organization_id" = ? and "webhooks"."id" > ?) order by "webhooks"."id" asc limit ?',
      plan: [
        "SEARCH webhooks USING INDEX webhooks_by_organization (organization_id=? AND rowid>?)",
        "SEARCH webhook_lists USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
      ],
      rows: 10,
    },
  ],
  "push/webhooks/manage/webhooks.store.ts webhookById": [
    {
      sql: 'select … from "webhooks" where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/end-attempt.store.ts claimed": [
    {
      sql: 'select "state", "failures", "next_attempt_at" from "webhook_deliveries" where ("webhook_deliveries"."id" = ? and "webhook_deliveries"."claim" = ?)',
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/end-attempt.store.ts deliver": [
    {
      sql: 'update "webhook_deliveries" set … where ("webhook_deliveries"."id" = ? and "webhook_deliveries"."claim" = ?)',
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/end-attempt.store.ts fail": [
    {
      sql: 'update "webhooks" set … where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/end-attempt.store.ts notePing": [
    {
      sql: 'update "webhooks" set … where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/end-attempt.store.ts succeed": [
    {
      sql: 'update "webhooks" set … where "webhooks"."id" = ?',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/delivery/end-attempt.store.ts undeliver": [
    {
      sql: 'update "webhook_deliveries" set … where ("webhook_deliveries"."id" = ? and "webhook_deliveries"."claim" = ?)',
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/cut-events.store.ts forget": [
    {
      sql: 'delete from "read_posts" where "read_posts"."sequence" <= ?',
      plan: ["SEARCH read_posts USING INTEGER PRIMARY KEY (rowid<?)"],
      rows: 500,
      why: "The posts of one part.",
    },
  ],
  "push/webhooks/events/cut-events.store.ts moveOn": [
    {
      sql: 'update "webhooks" set "since_sequence" = ? where ("webhooks"."id" = ? and "webhooks"."since_sequence" < ?)',
      plan: ["SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/cut-events.store.ts readWatchedPosts": [
    {
      sql: "SELECT … FROM read_posts r CROSS JOIN posts p ON p.id = r.post_id LEFT JOIN webhook_channels wc ON wc.channel_id = p.channel_id ORDER BY r.sequence",
      plan: [
        "SCAN r",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH wc USING PRIMARY KEY (channel_id=?) LEFT-JOIN",
      ],
      rows: 10421,
      why: "The posts of one part, and who watches the channel of each; it is left when the part is full.",
    },
  ],
  "push/webhooks/events/cut-events.store.ts selectMatches": [
    {
      sql: "SELECT p.id, p.channel_id AS channelId FROM webhooks w CROSS JOIN json_each(@sequences) wanted CROSS JOIN read_posts r ON r.sequence = wanted.value AND r.sequence > w.since_sequence CROSS JOIN posts p ON p.id = r.post_id CROSS JOIN webhook_channels wc ON wc.channel_id = p.channel_id AND wc.webhook_id = w.id AND wc.since_sequence < r.sequence CROSS JOIN channels c ON c.id = p.channel_id AND (c.is_public = 1 OR EXISTS ( SELECT 1 FROM removed_channels m CROSS JOIN channels i ON i.id = m.into_id WHERE m.id = c.id AND i.is_public = 1)) WHERE w.id = @webhookId AND w.disabled_reason = '' AND p.published_at >= @freshFrom ORDER BY p.published_at, p.id",
      plan: [
        "SEARCH w USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN wanted VIRTUAL TABLE INDEX 1:",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH wc USING PRIMARY KEY (channel_id=? AND webhook_id=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "  SEARCH i USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 2501,
      why: "Posts of a part that are of the webhook's channels, each found by its number: five rows a post.",
    },
  ],
  "push/webhooks/events/drop-queue.store.ts drop": [
    {
      sql: 'update "webhook_deliveries" set "state" = ?, "next_attempt_at" = ? where "webhook_deliveries"."id" in (select "id" from "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = ? and "webhook_deliveries"."state" = \'pending\') limit ?)',
      plan: [
        "SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
      ],
      rows: 400,
      why: "200 deliveries, found and written.",
    },
  ],
  "push/webhooks/events/drop-queue.store.ts waiting": [
    {
      sql: 'select … from "webhooks" where ("webhooks"."failing_since" is not null or exists (select "id" from "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = "webhooks"."id" and "webhook_deliveries"."state" = \'pending\')))',
      plan: [
        "SCAN webhooks",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=?)",
      ],
      rows: 2000,
      why: "Whether each webhook has something pending.",
    },
  ],
  "push/webhooks/events/due-work.store.ts anyFailing": [
    {
      sql: 'select "id" from "webhooks" where "webhooks"."failing_since" <= ? limit ?',
      plan: ["SEARCH webhooks USING COVERING INDEX webhooks_failing (failing_since<?)"],
      rows: 0,
    },
  ],
  "push/webhooks/events/due-work.store.ts failingTooLong": [
    {
      sql: 'select "id" from "webhooks" where ("webhooks"."failing_since" <= ? and "webhooks"."disabled_reason" = ? and ("webhooks"."down_ms" <= ? or not exists (select "id" from "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = "webhooks"."id" and "webhook_deliveries"."state" = \'pending\' and "webhook_deliveries"."next_attempt_at" <= ?))))',
      plan: [
        "SEARCH webhooks USING INDEX webhooks_failing (failing_since<?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=? AND next_attempt_at<?)",
      ],
      rows: 2,
    },
  ],
  "push/webhooks/events/due-work.store.ts addDownTime": [
    {
      sql: 'update "webhooks" set … where "webhooks"."failing_since" < ?',
      plan: ["SEARCH webhooks USING INDEX webhooks_failing (failing_since<?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/due-work.store.ts times": [
    {
      sql: 'select … from "webhook_look"',
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
  ],
  "push/webhooks/events/due-work.store.ts overdue": [
    {
      sql: 'select … from "webhooks" cross join "webhook_deliveries" where ("webhook_deliveries"."webhook_id" = "webhooks"."id" and "webhook_deliveries"."state" = \'pending\' and "webhook_deliveries"."next_attempt_at" < ?) limit ?',
      plan: [
        "SCAN webhooks USING COVERING INDEX webhooks_by_organization",
        "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_pending (webhook_id=? AND next_attempt_at<?)",
      ],
      rows: 2545,
      why: "Webhooks, and of what is overdue the first 2,000.",
    },
  ],
  "push/webhooks/events/due-work.store.ts put": [
    {
      sql: 'update "webhook_deliveries" set "next_attempt_at" = ? where "webhook_deliveries"."id" = ?',
      plan: ["SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/events/due-work.store.ts setBack": [
    {
      sql: 'update "webhook_look" set …',
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
    {
      sql: 'update "webhook_deliveries" set … where "webhook_deliveries"."state" = \'pending\'',
      plan: ["SCAN webhook_deliveries USING INDEX webhook_deliveries_pending"],
      rows: 2000,
      why: "Only where the clock was set back: all that waits gets another time at once.",
    },
    {
      sql: 'update "webhook_deliveries" set … where "webhook_deliveries"."claimed_until" is not null',
      plan: ["SCAN webhook_deliveries USING INDEX webhook_deliveries_claimed"],
      rows: 1,
      why: "Only where the clock was set back: all that waits gets another time at once.",
    },
    {
      sql: 'update "webhooks" set … where "webhooks"."failing_since" is not null',
      plan: ["SEARCH webhooks USING INDEX webhooks_failing (failing_since>?)"],
      rows: 1,
    },
    {
      sql: 'update "webhooks" set … where "webhooks"."tested_at" is not null',
      plan: ["SCAN webhooks"],
      rows: 1000,
      why: "Only where the clock was set back: all that waits gets another time at once.",
    },
    {
      sql: 'update "webhooks" set … where "webhooks"."former_secret_until" is not null',
      plan: ["SCAN webhooks"],
      rows: 1000,
      why: "Only where the clock was set back: all that waits gets another time at once.",
    },
  ],
  "push/webhooks/events/due-work.store.ts updateTimes": [
    {
      sql: 'update "webhook_look" set "looked_at" = ?',
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
    {
      sql: 'update "webhook_look" set "batched_at" = ?',
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
    {
      sql: 'update "webhook_look" set "overdue_until" = ?',
      plan: ["SCAN webhook_look"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/manual-limit.store.ts attemptsOfHost": [
    {
      sql: 'select "attempted_at" from "manual_attempts" where ("manual_attempts"."organization_id" = ? and "manual_attempts"."host" = ?) order by "manual_attempts"."attempted_at" asc',
      plan: [
        "SEARCH manual_attempts USING COVERING INDEX manual_attempts_by_host (organization_id=? AND host=?)",
      ],
      rows: 2,
    },
  ],
  "push/webhooks/manage/manual-limit.store.ts forgetOthers": [
    {
      sql: 'delete from "manual_attempts" where ("manual_attempts"."attempted_at" <= ? or "manual_attempts"."attempted_at" > ?)',
      plan: [
        "MULTI-INDEX OR",
        "  INDEX 1",
        "    SEARCH manual_attempts USING COVERING INDEX manual_attempts_by_age (attempted_at<?)",
        "  INDEX 2",
        "    SEARCH manual_attempts USING COVERING INDEX manual_attempts_by_age (attempted_at>?)",
      ],
      rows: 0,
    },
  ],
  "push/webhooks/manage/channel-watchers.store.ts count": [
    {
      sql: "SELECT count(*) AS webhooks FROM webhook_channels WHERE channel_id = ?",
      plan: ["SEARCH webhook_channels USING PRIMARY KEY (channel_id=?)"],
      rows: 1000,
      why: "For a command that shows or removes one channel: those that watch it.",
    },
  ],
  "push/webhooks/manage/channel-watchers.store.ts leaveNext": [
    {
      sql: "SELECT webhook_id AS webhookId FROM webhook_channels WHERE channel_id = ? LIMIT 1",
      plan: ["SEARCH webhook_channels USING PRIMARY KEY (channel_id=?)"],
      rows: 1,
      why: "For a command that shows or removes one channel: those that watch it.",
    },
    {
      sql: "DELETE FROM webhook_channels WHERE channel_id = ? AND webhook_id = ?",
      plan: ["SEARCH webhook_channels USING PRIMARY KEY (channel_id=? AND webhook_id=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/manage/channel-watchers.store.ts watchOther": [
    {
      sql: "INSERT INTO webhook_channels (channel_id, webhook_id, since_sequence) SELECT @intoId, webhook_id, since_sequence FROM webhook_channels WHERE channel_id = @id ON CONFLICT (channel_id, webhook_id) DO UPDATE SET …",
      plan: ["SEARCH webhook_channels USING PRIMARY KEY (channel_id=?)"],
      rows: 999,
      why: "Each webhook that watches a channel which is merged: 2 µs a webhook.",
    },
    {
      sql: "UPDATE alerts SET channel_id = ? WHERE channel_id = ?",
      plan: ["SEARCH alerts USING COVERING INDEX alerts_by_channel (channel_id=?)"],
      rows: 0,
    },
  ],
  "push/webhooks/manage/glance.store.ts bodyOf": [
    {
      sql: 'select "webhook_bodies"."body" from "webhook_deliveries" inner join "webhook_bodies" on "webhook_bodies"."delivery_id" = "webhook_deliveries"."id" where ("webhook_deliveries"."id" = ? and "webhook_deliveries"."webhook_id" = ?)',
      plan: [
        "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_webhook (webhook_id=? AND id=? AND rowid=?)",
        "SEARCH webhook_bodies USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: null,
      why: "One delivery by its number and its webhook's, and its body.",
    },
  ],
  "push/webhooks/manage/glance.store.ts recent": [
    {
      sql: 'select … from (select "id" from "webhook_deliveries" where "webhook_deliveries"."webhook_id" = ? order by "webhook_deliveries"."id" desc limit ?) "latest" inner join "webhook_attempts" on "webhook_attempts"."delivery_id" = "latest"."id" order by "webhook_attempts"."id" desc limit ?',
      plan: [
        "CO-ROUTINE latest",
        "  SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_webhook (webhook_id=?)",
        "SCAN latest",
        "SEARCH webhook_attempts USING INDEX webhook_attempts_by_delivery (delivery_id=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 400,
      why: "The attempts of 200 deliveries at the most (glance.store.ts), of which the last are shown.",
    },
  ],
  "push/webhooks/alerts/alerts.store.ts alertById": [
    {
      sql: 'select … from "alerts" where "alerts"."id" = ?',
      plan: ["SEARCH alerts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts counted": [
    {
      sql: 'select count(*) from "alerts" where "alerts"."organization_id" = ?',
      plan: ["SEARCH alerts USING COVERING INDEX alerts_by_organization (organization_id=?)"],
      rows: 10,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts countedOfWebhook": [
    {
      sql: 'select count(*) from "alerts" where "alerts"."webhook_id" = ?',
      plan: ["SEARCH alerts USING COVERING INDEX alerts_by_webhook (webhook_id=?)"],
      rows: 2,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts forget": [
    {
      sql: 'delete from "alert_posts" where "alert_posts"."sequence" IN (SELECT "alert_posts"."sequence" FROM "alert_posts" WHERE "alert_posts"."sequence" <= ? LIMIT ?)',
      plan: [
        "SEARCH alert_posts USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SEARCH alert_posts USING INTEGER PRIMARY KEY (rowid<?)",
      ],
      rows: 400,
      why: "Some 200 posts a step, by their numbers.",
    },
  ],
  "push/webhooks/alerts/alerts.store.ts moveOn": [
    {
      sql: 'update "alerts" set "since_sequence" = ? where "alerts"."webhook_id" = ?',
      plan: ["SEARCH alerts USING INDEX alerts_by_webhook (webhook_id=?)"],
      rows: 2,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts noteCut": [
    {
      sql: 'update "alerts" set … where "alerts"."id" = ?',
      plan: ["SEARCH alerts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts pageOfOrganization": [
    {
      sql: 'select … from "alerts" where ("alerts"."organization_id" = ? and "alerts"."id" > ?) order by "alerts"."id" asc limit ?',
      plan: ["SEARCH alerts USING INDEX alerts_by_organization (organization_id=? AND id>?)"],
      rows: 11,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts remove": [
    {
      sql: 'delete from "alerts" where "alerts"."id" = ?',
      plan: ["SEARCH alerts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts updateAlert": [
    {
      sql: 'update "alerts" set … where "alerts"."id" = ?',
      plan: ["SEARCH alerts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts first": [
    {
      sql: 'select "id" from "alerts" limit ?',
      plan: ["SCAN alerts USING COVERING INDEX alerts_by_webhook"],
      rows: 1,
      why: "Any one is enough, to know that there are some.",
    },
  ],
  "push/webhooks/alerts/alerts.store.ts lastNumberOf": [
    {
      sql: "SELECT seq FROM sqlite_sequence WHERE name = ?",
      plan: ["SCAN sqlite_sequence"],
      rows: 4,
    },
  ],
  "push/webhooks/alerts/alerts.store.ts nth": [
    {
      sql: 'select "id" from "alerts" where "alerts"."organization_id" = ? order by "alerts"."id" asc limit ? offset ?',
      plan: ["SEARCH alerts USING COVERING INDEX alerts_by_organization (organization_id=?)"],
      rows: 11,
    },
  ],
  "push/webhooks/alerts/match-posts.store.ts readAlertPosts": [
    {
      sql: "SELECT … FROM alert_posts r CROSS JOIN posts p ON p.id = r.post_id LEFT JOIN removed_channels m ON m.id = p.channel_id LEFT JOIN channel_cards k ON k.id = coalesce(m.into_id, p.channel_id) LEFT JOIN territories t ON t.slug = k.territory WHERE r.sequence > @after AND r.sequence <= @until ORDER BY r.sequence",
      plan: [
        "SEARCH r USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
        "SEARCH t USING INDEX sqlite_autoindex_territories_1 (slug=?) LEFT-JOIN",
      ],
      rows: 2500,
      why: "The posts that wait, row by row until a step is full.",
    },
  ],
  "push/webhooks/alerts/match-posts.store.ts readRecentPosts": [
    {
      sql: "SELECT … FROM posts p CROSS JOIN channels c ON c.id = p.channel_id LEFT JOIN removed_channels m ON m.id = p.channel_id LEFT JOIN channel_cards k ON k.id = coalesce(m.into_id, p.channel_id) LEFT JOIN territories t ON t.slug = k.territory WHERE within_deadline() AND c.is_public = 1 AND p.id > (SELECT coalesce(max(id), 0) FROM posts) - @walkedMax ORDER BY p.id DESC LIMIT @walkedMax",
      plan: [
        "SEARCH p USING INTEGER PRIMARY KEY (rowid>?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH posts",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
        "SEARCH t USING INDEX sqlite_autoindex_territories_1 (slug=?) LEFT-JOIN",
      ],
      rows: 5001,
      why: "5,000 posts of a preview, on a reader thread under the deadline.",
    },
    {
      sql: "SELECT … FROM posts p CROSS JOIN channels c ON c.id = p.channel_id LEFT JOIN removed_channels m ON m.id = p.channel_id LEFT JOIN channel_cards k ON k.id = coalesce(m.into_id, p.channel_id) LEFT JOIN territories t ON t.slug = k.territory WHERE within_deadline() AND c.is_public = 1 AND p.channel_id = @channelId AND p.published_at >= @fromMs ORDER BY p.published_at DESC, p.id DESC LIMIT @walkedMax",
      plan: [
        "SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at>?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
        "SEARCH t USING INDEX sqlite_autoindex_territories_1 (slug=?) LEFT-JOIN",
      ],
      rows: 110,
    },
  ],
  "push/webhooks/alerts/match-posts.store.ts selectMatched": [
    {
      sql: "SELECT p.id FROM alerts a CROSS JOIN json_each(@sequences) wanted CROSS JOIN alert_posts r ON r.sequence = wanted.value AND r.sequence > a.since_sequence AND r.sequence > a.cut_sequence CROSS JOIN posts p ON p.id = r.post_id CROSS JOIN channels c ON c.id = p.channel_id AND (c.is_public = 1 OR EXISTS ( SELECT 1 FROM removed_channels m CROSS JOIN channels i ON i.id = m.into_id WHERE m.id = c.id AND i.is_public = 1)) WHERE a.id = @alertId AND p.published_at >= @freshFrom ORDER BY p.published_at, p.id LIMIT @limit",
      plan: [
        "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN wanted VIRTUAL TABLE INDEX 1:",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "  SEARCH i USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 2001,
      why: "The posts that an alert matches, each found by its key; at most a part.",
    },
  ],
  "push/webhooks/alerts/loaded-alerts.store.ts alertsAfter": [
    {
      sql: 'select … from "alerts" inner join "webhooks" on "webhooks"."id" = "alerts"."webhook_id" where "alerts"."id" > ? order by "alerts"."id" asc limit ?',
      plan: [
        "SEARCH alerts USING INTEGER PRIMARY KEY (rowid>?)",
        "SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 100,
    },
  ],
  "push/webhooks/alerts/loaded-alerts.store.ts alertById": [
    {
      sql: 'select … from "alerts" inner join "webhooks" on "webhooks"."id" = "alerts"."webhook_id" where "alerts"."id" = ?',
      plan: [
        "SEARCH alerts USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhooks USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
  ],
  "push/webhooks/alerts/loaded-alerts.store.ts changes": [
    {
      sql: 'select "alert_id" from "alert_changes" where ("alert_changes"."version" > ? and "alert_changes"."version" <= ?)',
      plan: ["SEARCH alert_changes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
      rows: 15,
    },
  ],
  "push/webhooks/events/oldest-read.store.ts oldestReadAt": [
    {
      sql: "SELECT p.read_at AS readAt FROM read_posts r CROSS JOIN posts p ON p.id = r.post_id ORDER BY r.sequence LIMIT 1",
      plan: ["SCAN r", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 2,
      why: "The first row is enough.",
    },
    {
      sql: "SELECT p.read_at AS readAt FROM alert_posts r CROSS JOIN posts p ON p.id = r.post_id ORDER BY r.sequence LIMIT 1",
      plan: ["SCAN r", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 2,
      why: "The first row is enough.",
    },
  ],
};
