import type { Entries } from "../compare.ts";

/** Statements that serve and write the catalog. */
export const catalog: Entries = {
  "catalog/search/plans/found.ts selectFound": [
    {
      plan: ["SEARCH c USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      plan: ["CO-ROUTINE c", "  SEARCH c USING INDEX channels_by_* (is_chat=?*)", "SCAN c"],
      rows: 20001,
      why: "Entries of a narrow index in its order: a page, and the rows tied with its last; the 1,001 that are counted (select-catalog.ts), or the 20,000 that are described (describe-selection.ts) at most.",
    },
    {
      plan: [
        "CO-ROUTINE c",
        "  SEARCH c USING INDEX channels_by_* (is_chat=?*)",
        "SCAN c",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 57500,
      why: "A walk until the page is full, each channel and its text: 15,000 channels at the most where something is searched (walk.ts), and under the deadline without a text.",
    },
    {
      plan: [
        "CO-ROUTINE o",
        "  SEARCH o USING PRIMARY KEY (is_chat=? AND step*)",
        "  USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY",
        "SCAN o",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 404,
      why: "Entries of the order by last posts, a step of some 17 minutes sorted at a time, and the channels of a page.",
    },
    {
      plan: [
        "CO-ROUTINE o",
        "  SEARCH o USING PRIMARY KEY (is_chat=? AND step*)",
        "  USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY",
        "SCAN o",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1786,
      why: "The same until the page is full, each with its text: 15,000 entries at the most where something is searched, and under the deadline without a text.",
    },
    {
      plan: [
        "CO-ROUTINE o",
        "  SEARCH o USING PRIMARY KEY (is_chat=? AND step*)",
        "SCAN o",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 202,
      why: "Channels without a post, a page in the order of their numbers.",
    },
    {
      plan: [
        "SEARCH c USING INDEX channels_by_subscribers (is_chat=?*)",
        "USE TEMP B-TREE FOR*ORDER BY",
      ],
      rows: 142,
    },
    {
      plan: [
        "CO-ROUTINE c",
        "  SEARCH o USING PRIMARY KEY (slot=? AND metric=? AND is_chat=?*)",
        "  SCALAR SUBQUERY 1",
        "    SCAN metrics_read",
        "  SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN c",
      ],
      rows: 21,
      why: "Entries of a metric's order and their channels: a page, or up to 15,000 where something is searched, or the 20,000 of a range that are counted.",
    },
    {
      plan: [
        "CO-ROUTINE c",
        "  SEARCH c USING INDEX channels_by_kind (is_chat=?*)",
        "SCAN c",
        "SEARCH m USING PRIMARY KEY (slot=? AND id=?) LEFT-JOIN",
        "SCALAR SUBQUERY 2",
        "  SCAN metrics_read",
      ],
      rows: 207,
      why: "Channels without a metric, looked for among all of the kind, up to 15,000 where something is searched.",
    },
    {
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH m USING PRIMARY KEY (slot=? AND id=?) LEFT-JOIN",
        "SCALAR SUBQUERY 1",
        "  SCAN metrics_read",
      ],
      rows: 3,
      why: "The one channel of a handle, and a table of one row.",
    },
    {
      plan: [
        "CO-ROUTINE c",
        "  SEARCH o USING PRIMARY KEY (slot=? AND metric=? AND is_chat=?*)",
        "  SCALAR SUBQUERY 1",
        "    SCAN metrics_read",
        "  SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN c",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 31,
      why: "Entries of a metric's order and their channels: a page, or up to 15,000 where something is searched, or the 20,000 of a range that are counted.",
    },
    {
      plan: [
        "CO-ROUTINE c",
        "  SEARCH c USING INDEX channels_by_kind (is_chat=?*)",
        "SCAN c",
        "SEARCH m USING PRIMARY KEY (slot=? AND id=?) LEFT-JOIN",
        "SCALAR SUBQUERY 2",
        "  SCAN metrics_read",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 913,
      why: "Channels without a metric, looked for among all of the kind, up to 15,000 where something is searched.",
    },
    {
      plan: [
        "SEARCH c USING INDEX channels_by_* (is_chat=?*)",
        "SEARCH m USING PRIMARY KEY (slot=? AND id=?) LEFT-JOIN",
        "SCALAR SUBQUERY 2",
        "  SCAN metrics_read",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 285,
      why: "The channels in a range of subscribers with their metrics, 20,000 at most, sorted (range.ts).",
    },
    {
      plan: [
        "SEARCH o USING PRIMARY KEY (slot=? AND metric=? AND is_chat=?*)",
        "SCALAR SUBQUERY 1",
        "  SCAN metrics_read",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH m USING PRIMARY KEY (slot=? AND id=?)",
        "SCALAR SUBQUERY 3",
        "  SCAN metrics_read",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 32,
      why: "The channels in a range of a metric, 20,000 at most, sorted (range.ts).",
    },
    {
      plan: [
        "SEARCH c USING INDEX channels_by_* (is_chat=?*)",
        "SEARCH m USING PRIMARY KEY (slot=? AND id=?)",
        "SCALAR SUBQUERY 2",
        "  SCAN metrics_read",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 53,
      why: "The channels in a range of subscribers with their metrics, 20,000 at most, sorted (range.ts).",
    },
    {
      plan: [
        "COMPOUND QUERY",
        "  LEFT-MOST SUBQUERY",
        "    MATERIALIZE counted",
        "      MATERIALIZE candidates",
        "        SCAN channel_search VIRTUAL TABLE INDEX 0:M1",
        "      SCAN candidates",
        "    SCAN counted",
        "  UNION ALL",
        "    CO-ROUTINE (subquery-7)",
        "      CO-ROUTINE c",
        "        SCAN f",
        "        SCALAR SUBQUERY 5",
        "          SCAN counted",
        "        SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "        SEARCH m USING PRIMARY KEY (slot=? AND id=?) LEFT-JOIN",
        "        SCALAR SUBQUERY 4",
        "          SCAN metrics_read",
        "        USE TEMP B-TREE FOR ORDER BY",
        "      SCAN c",
        "      SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "    SCAN (subquery-7)",
      ],
      rows: 29100,
      why: "Candidates of the search index with their metrics: up to 7,000 or 20,000, or all under the deadline.",
    },
    {
      plan: [
        "COMPOUND QUERY",
        "  LEFT-MOST SUBQUERY",
        "    MATERIALIZE counted",
        "      MATERIALIZE candidates",
        "        SCAN channel_search VIRTUAL TABLE INDEX 0:M1",
        "      SCAN candidates",
        "    SCAN counted",
        "  UNION ALL",
        "    CO-ROUTINE (subquery-7)",
        "      CO-ROUTINE c",
        "        SCAN f",
        "        SCALAR SUBQUERY 5",
        "          SCAN counted",
        "        SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "        SEARCH m USING PRIMARY KEY (slot=? AND id=?) LEFT-JOIN",
        "        SCALAR SUBQUERY 4",
        "          SCAN metrics_read",
        "        USE TEMP B-TREE FOR ORDER BY",
        "      SCAN c",
        "    SCAN (subquery-7)",
      ],
      rows: 7001,
      why: "Candidates of the search index with their metrics: up to 7,000 or 20,000, or all under the deadline.",
    },
    {
      plan: [
        "COMPOUND QUERY",
        "  LEFT-MOST SUBQUERY",
        "    MATERIALIZE counted",
        "      MATERIALIZE candidates",
        "        SCAN channel_search VIRTUAL TABLE INDEX 0:M1",
        "      SCAN candidates",
        "    SCAN counted",
        "  UNION ALL",
        "    CO-ROUTINE (subquery-7)",
        "      CO-ROUTINE c",
        "        SCAN f",
        "        SCALAR SUBQUERY 5",
        "          SCAN counted",
        "        SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "        SEARCH m USING PRIMARY KEY (slot=? AND id=?)",
        "        SCALAR SUBQUERY 4",
        "          SCAN metrics_read",
        "        USE TEMP B-TREE FOR ORDER BY",
        "      SCAN c",
        "      SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "    SCAN (subquery-7)",
      ],
      rows: 3245,
      why: "Candidates of the search index with their metrics: up to 7,000 or 20,000, or all under the deadline.",
    },
    {
      plan: [
        "COMPOUND QUERY",
        "  LEFT-MOST SUBQUERY",
        "    MATERIALIZE counted",
        "      MATERIALIZE candidates",
        "        SCAN channel_search VIRTUAL TABLE INDEX 0:M1",
        "      SCAN candidates",
        "    SCAN counted",
        "  UNION ALL",
        "    CO-ROUTINE (subquery-6)",
        "      CO-ROUTINE c",
        "        SCAN f",
        "        SCALAR SUBQUERY 4",
        "          SCAN counted",
        "        SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "        USE TEMP B-TREE FOR ORDER BY",
        "      SCAN c",
        "      SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "    SCAN (subquery-6)",
      ],
      rows: 20333,
      why: "Candidates of the search index, 7,000 or 20,000 at the most (candidates.ts) or all under the deadline, sorted; then their texts until the page is full.",
    },
    {
      plan: [
        "COMPOUND QUERY",
        "  LEFT-MOST SUBQUERY",
        "    MATERIALIZE counted",
        "      MATERIALIZE candidates",
        "        SCAN channel_search VIRTUAL TABLE INDEX 0:M1",
        "      SCAN candidates",
        "    SCAN counted",
        "  UNION ALL",
        "    CO-ROUTINE (subquery-6)",
        "      CO-ROUTINE c",
        "        SCAN f",
        "        SCALAR SUBQUERY 4",
        "          SCAN counted",
        "        SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "        USE TEMP B-TREE FOR ORDER BY",
        "      SCAN c",
        "    SCAN (subquery-6)",
      ],
      rows: 29000,
      why: "The same where the index has tested all that is asked.",
    },
  ],
  "catalog/search/plans/found.ts countRows": [
    {
      plan: [
        "CO-ROUTINE (subquery-1)",
        "  SEARCH c USING INDEX channels_by_* (is_chat=?*)",
        "SCAN (subquery-1)",
      ],
      rows: 20001,
      why: "Channels in a range of subscribers, counted up to 20,000 (range.ts), or those that a walk met; entries of a narrow index.",
    },
    {
      plan: [
        "CO-ROUTINE (subquery-2)",
        "  SEARCH o USING PRIMARY KEY (slot=? AND metric=? AND is_chat=?*)",
        "  SCALAR SUBQUERY 1",
        "    SCAN metrics_read",
        "  SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN (subquery-2)",
      ],
      rows: 21,
      why: "Entries of a metric's order and their channels: a page, or up to 15,000 where something is searched, or the 20,000 of a range that are counted.",
    },
    {
      plan: [
        "CO-ROUTINE (subquery-2)",
        "  SEARCH o USING PRIMARY KEY (slot=? AND metric=? AND is_chat=?*)",
        "  SCALAR SUBQUERY 1",
        "    SCAN metrics_read",
        "SCAN (subquery-2)",
      ],
      rows: 11,
      why: "Entries of a metric's order and their channels: a page, or up to 15,000 where something is searched, or the 20,000 of a range that are counted.",
    },
  ],
  "catalog/channels/channels.store.ts card": [
    {
      sql: "SELECT p.json, c.subscribers, c.last_post_at FROM public_cards p CROSS JOIN channels c ON c.id = p.id WHERE p.id = coalesce( (SELECT k.id FROM channel_cards k WHERE k.handle = @value), (SELECT f.channel_id FROM former_handles f WHERE f.handle = @value ORDER BY f.given_up_at DESC, f.id DESC LIMIT 1))",
      plan: [
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_2 (handle=?)",
        "SCALAR SUBQUERY 2",
        "  SEARCH f USING INDEX sqlite_autoindex_former_handles_1 (handle=?)",
        "  USE TEMP B-TREE FOR ORDER BY",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "REUSE SUBQUERY 1",
        "REUSE SUBQUERY 2",
      ],
      rows: 5,
    },
    {
      sql: "SELECT p.json, c.subscribers, c.last_post_at FROM channel_cards k CROSS JOIN public_cards p ON p.id = k.id CROSS JOIN channels c ON c.id = p.id WHERE k.msgr_id = @value",
      plan: [
        "SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_1 (msgr_id=?)",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 3,
    },
    {
      sql: "SELECT p.json, c.subscribers, c.last_post_at FROM public_cards p CROSS JOIN channels c ON c.id = p.id WHERE p.id = @value",
      plan: [
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
  ],
  "catalog/channels/channels.store.ts categoriesInUse": [
    {
      sql: "SELECT DISTINCT category, categories FROM channel_cards",
      plan: ["SCAN channel_cards", "USE TEMP B-TREE FOR DISTINCT"],
      rows: 31000,
      why: "Only with an import of categories that removes the others, once.",
    },
  ],
  "catalog/channels/channels.store.ts channelsInTerritories": [
    {
      sql: "SELECT id FROM channel_cards WHERE territory IN (SELECT value FROM json_each(?)) AND id > ? ORDER BY id LIMIT ?",
      plan: [
        "SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid>?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
        "  CREATE BLOOM FILTER",
      ],
      rows: 31000,
      why: "Goes on where the part before it ended: all parts together read the cards once, outside of any transaction.",
    },
  ],
  "catalog/channels/channels.store.ts createChannelIds": [
    {
      sql: "SELECT 1 FROM removed_channels WHERE id = ?",
      plan: ["SEARCH removed_channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 0,
    },
    {
      sql: "SELECT id FROM channel_cards WHERE id = ?",
      plan: ["SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "SELECT id FROM channel_cards WHERE msgr_id = ?",
      plan: [
        "SEARCH channel_cards USING COVERING INDEX sqlite_autoindex_channel_cards_1 (msgr_id=?)",
      ],
      rows: 1,
    },
    {
      sql: "SELECT id FROM channel_cards WHERE handle = ?",
      plan: [
        "SEARCH channel_cards USING COVERING INDEX sqlite_autoindex_channel_cards_2 (handle=?)",
      ],
      rows: 1,
    },
    {
      sql: "SELECT coalesce( (SELECT k.id FROM channel_cards k WHERE k.handle = @value), (SELECT f.channel_id FROM former_handles f WHERE f.handle = @value ORDER BY f.given_up_at DESC, f.id DESC LIMIT 1)) AS id",
      plan: [
        "SCAN CONSTANT ROW",
        "SCALAR SUBQUERY 1",
        "  SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_2 (handle=?)",
        "SCALAR SUBQUERY 2",
        "  SEARCH f USING INDEX sqlite_autoindex_former_handles_1 (handle=?)",
        "  USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 1,
    },
    {
      sql: "SELECT max(coalesce((SELECT max(id) FROM channels), 0), coalesce((SELECT max(id) FROM removed_channels), 0)) + 1 AS id",
      plan: [
        "SCAN CONSTANT ROW",
        "SCALAR SUBQUERY 1",
        "  SEARCH channels",
        "SCALAR SUBQUERY 2",
        "  SEARCH removed_channels",
      ],
      rows: 2,
    },
  ],
  "catalog/channels/channel-records.store.ts createChannelRecords": [
    {
      sql: "SELECT … FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ?",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
  ],
  "catalog/channels/channel-rows.store.ts createChannelRows": [
    {
      sql: "INSERT INTO channels (…) VALUES (…)",
      plan: [
        "SEARCH post_tombstones USING COVERING INDEX post_tombstones_by_messenger_id (channel_id=?)",
        "SEARCH former_handles USING COVERING INDEX former_handles_by_channel (channel_id=?)",
        "SEARCH channel_texts USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH public_cards USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_channels USING PRIMARY KEY (channel_id=?)",
        "SEARCH posts USING COVERING INDEX posts_by_messenger_id (channel_id=?)",
        "SEARCH daily_statistics USING PRIMARY KEY (channel_id=?)",
        "SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 0,
    },
    {
      sql: "UPDATE channel_cards SET … WHERE id = @id",
      plan: ["SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM public_cards WHERE id = ?",
      plan: ["SEARCH public_cards USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM channel_texts WHERE id = ?",
      plan: ["SEARCH channel_texts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM channel_cards WHERE id = ?",
      plan: ["SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE channels SET is_public = 0 WHERE id = ?",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/channels/channels.store.ts createLastPosts": [
    {
      sql: "UPDATE channels SET last_post_at = @publishedAt WHERE id = @channelId AND (last_post_at IS NULL OR last_post_at < @publishedAt)",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/channels/channel-rows.store.ts readDirectoryIds": [
    {
      sql: "SELECT slug, id FROM categories",
      plan: ["SCAN categories USING COVERING INDEX sqlite_autoindex_categories_1"],
      rows: 50,
    },
    {
      sql: "SELECT slug, id, path FROM territories",
      plan: ["SCAN territories"],
      rows: 1300,
      why: "The whole directory, once an import.",
    },
  ],
  "catalog/channels/channels.store.ts selectCards": [
    {
      sql: "SELECT … FROM json_each(?) given CROSS JOIN public_cards p ON p.id = given.value CROSS JOIN channels c ON c.id = p.id",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 300,
      why: "100 numbers at the most, each with its card and its numbers.",
    },
  ],
  "catalog/channels/channels.store.ts selectIdsByHandle": [
    {
      sql: "SELECT given.value AS handle, c.id FROM json_each(?) given CROSS JOIN channels c ON c.id = coalesce( (SELECT k.id FROM channel_cards k WHERE k.handle = given.value), (SELECT f.channel_id FROM former_handles f WHERE f.handle = given.value ORDER BY f.given_up_at DESC, f.id DESC LIMIT 1)) WHERE c.is_public = 1",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_2 (handle=?)",
        "CORRELATED SCALAR SUBQUERY 2",
        "  SEARCH f USING INDEX sqlite_autoindex_former_handles_1 (handle=?)",
        "  USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 9,
    },
  ],
  "catalog/channels/channels.store.ts territoriesInUse": [
    {
      sql: "SELECT DISTINCT territory FROM channel_cards WHERE territory IS NOT NULL",
      plan: ["SCAN channel_cards", "USE TEMP B-TREE FOR DISTINCT"],
      rows: 31000,
      why: "Only with an import of territories that removes the others, once.",
    },
  ],
  "catalog/channels/channels.store.ts selectId": [
    {
      sql: "SELECT k.id FROM channel_cards k WHERE k.id = coalesce( (SELECT k.id FROM channel_cards k WHERE k.handle = @value), (SELECT f.channel_id FROM former_handles f WHERE f.handle = @value ORDER BY f.given_up_at DESC, f.id DESC LIMIT 1))",
      plan: [
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_2 (handle=?)",
        "SCALAR SUBQUERY 2",
        "  SEARCH f USING INDEX sqlite_autoindex_former_handles_1 (handle=?)",
        "  USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 4,
    },
    {
      sql: "SELECT k.id FROM channel_cards k WHERE k.id = @value",
      plan: ["SEARCH k USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "SELECT k.id FROM channel_cards k WHERE k.id = (SELECT k.id FROM channel_cards k WHERE k.msgr_id = @value)",
      plan: [
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_1 (msgr_id=?)",
      ],
      rows: 2,
    },
  ],
  "catalog/channels/channels.store.ts selectPublicId": [
    {
      sql: "SELECT c.id FROM channels c WHERE c.id = coalesce( (SELECT k.id FROM channel_cards k WHERE k.handle = @value), (SELECT f.channel_id FROM former_handles f WHERE f.handle = @value ORDER BY f.given_up_at DESC, f.id DESC LIMIT 1)) AND c.is_public = 1",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_2 (handle=?)",
        "SCALAR SUBQUERY 2",
        "  SEARCH f USING INDEX sqlite_autoindex_former_handles_1 (handle=?)",
        "  USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 4,
    },
    {
      sql: "SELECT c.id FROM channels c WHERE c.id = (SELECT k.id FROM channel_cards k WHERE k.msgr_id = @value) AND c.is_public = 1",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_1 (msgr_id=?)",
      ],
      rows: 2,
    },
    {
      sql: "SELECT c.id FROM channels c WHERE c.id = @value AND c.is_public = 1",
      plan: ["SEARCH c USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/channels/channel-rows.store.ts update": [
    {
      sql: "UPDATE channels SET is_public = @is_public WHERE id = @id",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/channels/channels.store.ts createChannelNumbers": [
    {
      sql: "SELECT id, subscribers, last_post_at FROM channels WHERE id = ?",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE channels SET subscribers = @subscribers WHERE id = @id",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE channels SET last_post_at = @last_post_at WHERE id = @id",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE channels SET … WHERE id = @id",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/channels/channels.store.ts recordsAfter": [
    {
      sql: "SELECT … FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id > ? ORDER BY c.id LIMIT ?",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid>?)",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2000,
      why: "A page of channels for an export or a list, never in a request.",
    },
  ],
  "catalog/channels/channels.store.ts cardsVersion": [
    {
      sql: "SELECT version FROM cards_version",
      plan: ["SCAN cards_version"],
      rows: 1,
      why: "A table of one row.",
    },
  ],
  "catalog/channels/channels.store.ts createIsPublic": [
    {
      sql: "SELECT id FROM channels WHERE id = ? AND is_public = 1",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/channels/channels.store.ts readCardsAhead": [
    {
      sql: "SELECT max(id) AS id FROM ( SELECT p.id FROM public_cards p CROSS JOIN channels c ON c.id = p.id WHERE p.id > ? ORDER BY p.id LIMIT ?)",
      plan: [
        "CO-ROUTINE (subquery-1)",
        "  SEARCH p USING INTEGER PRIMARY KEY (rowid>?)",
        "  SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH (subquery-1)",
      ],
      rows: 20000,
      why: "All cards once after a start, 10,000 a second, on a thread that reads.",
    },
  ],
  "catalog/channels/search-index.ts createSearchIndex": [
    {
      sql: "SELECT 1 FROM channels c CROSS JOIN channel_texts t ON t.id = c.id WHERE c.id = ? AND c.is_public = 1",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
    {
      sql: "DELETE FROM channel_search WHERE rowid IN (SELECT CAST(value AS INTEGER) FROM json_each(?))",
      plan: [
        "SCAN channel_search VIRTUAL TABLE INDEX 0:=",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
      ],
      rows: 410,
      why: "The channels that a transaction wrote, one by one.",
    },
    {
      sql: "INSERT INTO channel_search (rowid, search_text) SELECT t.id, t.search_text FROM channel_texts t CROSS JOIN channels c ON c.id = t.id WHERE c.is_public = 1 AND t.id IN (SELECT value FROM json_each(?)) ORDER BY t.id",
      plan: [
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 615,
      why: "The channels that a transaction wrote, each with its text.",
    },
  ],
  "catalog/search/search-terms.ts countsOf": [
    {
      sql: "SELECT trigram, channels FROM search_trigrams WHERE trigram IN (SELECT value FROM json_each(?))",
      plan: [
        "SEARCH search_trigrams USING PRIMARY KEY (trigram=?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
      ],
      rows: 14,
    },
  ],
  "catalog/search/search-terms.ts countTrigrams": [
    {
      sql: "SELECT term, doc FROM temp.search_vocabulary WHERE doc >= ?",
      plan: ["SCAN temp.search_vocabulary VIRTUAL TABLE INDEX 3:"],
      rows: 0,
    },
    {
      sql: "INSERT INTO search_trigrams (trigram, channels) SELECT value ->> 'term', value ->> 'doc' FROM json_each(?)",
      plan: ["SCAN json_each VIRTUAL TABLE INDEX 1:"],
      rows: 110,
    },
  ],
  "catalog/directory/category-images.ts content": [
    {
      sql: "SELECT content FROM category_images WHERE name = ?",
      plan: ["SEARCH category_images USING INDEX sqlite_autoindex_category_images_1 (name=?)"],
      rows: 1,
    },
  ],
  "catalog/directory/directory.store.ts createDirectoryStore": [
    {
      sql: "INSERT INTO territories (…) SELECT … FROM json_each(?) WHERE true ON CONFLICT (slug) DO UPDATE SET …",
      plan: [
        "SCAN json_each VIRTUAL TABLE INDEX 1:",
        "SEARCH territories USING COVERING INDEX territories_parent (parent=?)",
      ],
      rows: 1221,
      why: "The entries that an import changes, at the most all.",
    },
    {
      sql: "UPDATE territories SET is_moved = ? WHERE path IN (SELECT value FROM json_each(?))",
      plan: [
        "SEARCH territories USING COVERING INDEX sqlite_autoindex_territories_2 (path=?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
      ],
      rows: 2,
    },
    {
      sql: "DELETE FROM categories WHERE slug = ?",
      plan: ["SEARCH categories USING INDEX sqlite_autoindex_categories_1 (slug=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM territories WHERE slug = ?",
      plan: [
        "SEARCH territories USING INDEX sqlite_autoindex_territories_1 (slug=?)",
        "SEARCH territories USING COVERING INDEX territories_parent (parent=?)",
      ],
      rows: 1,
    },
    {
      sql: "UPDATE categories SET channels = ? WHERE slug = ?",
      plan: ["SEARCH categories USING INDEX sqlite_autoindex_categories_1 (slug=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE territories SET channels = ? WHERE slug = ?",
      plan: ["SEARCH territories USING INDEX sqlite_autoindex_territories_1 (slug=?)"],
      rows: 1,
    },
  ],
  "catalog/directory/directory.store.ts allCategories": [
    {
      sql: 'select … from "categories" order by "categories"."position" asc',
      plan: ["SCAN categories", "USE TEMP B-TREE FOR ORDER BY"],
      rows: 51,
    },
  ],
  "catalog/directory/directory.store.ts allTerritories": [
    {
      sql: 'select … from "territories" order by "territories"."position" asc',
      plan: ["SCAN territories", "USE TEMP B-TREE FOR ORDER BY"],
      rows: 1223,
      why: "The whole directory.",
    },
  ],
  "catalog/directory/directory.store.ts categoryBySlug": [
    {
      sql: 'select … from "categories" where "categories"."slug" = ?',
      plan: ["SEARCH categories USING INDEX sqlite_autoindex_categories_1 (slug=?)"],
      rows: 1,
    },
  ],
  "catalog/directory/directory.store.ts movedTerritories": [
    {
      sql: 'select "slug", "path" from "territories" where "territories"."is_moved" = ?',
      plan: ["SCAN territories"],
      rows: 1223,
      why: "The whole directory.",
    },
  ],
  "catalog/directory/directory.store.ts territoryBySlug": [
    {
      sql: 'select … from "territories" where "territories"."slug" = ?',
      plan: ["SEARCH territories USING INDEX sqlite_autoindex_territories_1 (slug=?)"],
      rows: 1,
    },
  ],
  "catalog/directory/recount.ts recount": [
    {
      sql: "SELECT … FROM channels c JOIN channel_cards k ON k.id = c.id WHERE c.is_public = 1 GROUP BY k.category, k.categories",
      plan: [
        "SCAN c USING COVERING INDEX channels_by_kind",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR GROUP BY",
      ],
      rows: 60000,
      why: "A nightly job reads it outside of any transaction that writes.",
    },
    {
      sql: "SELECT … FROM channels c JOIN channel_cards k ON k.id = c.id WHERE c.is_public = 1 AND k.territory IS NOT NULL GROUP BY k.territory",
      plan: [
        "SCAN c USING COVERING INDEX channels_by_kind",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR GROUP BY",
      ],
      rows: 60000,
      why: "A nightly job reads it outside of any transaction that writes.",
    },
  ],
  "catalog/posts/posts.store.ts createPostRecords": [
    {
      sql: "UPDATE post_numbers SET highest = @id WHERE highest < @id",
      plan: ["SCAN post_numbers"],
      rows: 1,
      why: "The one row of the highest number that is gone.",
    },
    {
      sql: "SELECT … FROM posts p WHERE p.id = ?",
      plan: ["SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "SELECT … FROM posts p WHERE p.channel_id = ? AND p.msgr_post_id = ?",
      plan: ["SEARCH p USING INDEX posts_by_messenger_id (channel_id=? AND msgr_post_id=?)"],
      rows: 1,
    },
    {
      sql: "SELECT max(highest, coalesce((SELECT max(id) FROM posts), 0)) + 1 AS id FROM post_numbers",
      plan: ["SCAN post_numbers", "SCALAR SUBQUERY 1", "  SEARCH posts"],
      rows: 2,
      why: "The one row of the highest number that is gone, and the end of the posts.",
    },
    {
      sql: "INSERT INTO posts (…) VALUES (…)",
      plan: [
        "SEARCH alert_posts USING COVERING INDEX alert_posts_by_post (post_id=?)",
        "SEARCH read_posts USING COVERING INDEX read_posts_by_post (post_id=?)",
      ],
      rows: 0,
    },
    {
      sql: "UPDATE posts SET … WHERE id = @id",
      plan: ["SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM posts WHERE id = ?",
      plan: [
        "SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH alert_posts USING COVERING INDEX alert_posts_by_post (post_id=?)",
        "SEARCH read_posts USING COVERING INDEX read_posts_by_post (post_id=?)",
      ],
      rows: 1,
    },
  ],
  "catalog/posts/posts.store.ts newestPostAt": [
    {
      sql: "SELECT max(published_at) AS at FROM posts WHERE channel_id = ?",
      plan: ["SEARCH posts USING COVERING INDEX posts_by_time (channel_id=?)"],
      rows: 1,
    },
  ],
  "catalog/posts/posts.store.ts selectSegment": [
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING COVERING INDEX posts_by_time (channel_id=?)"],
      rows: 101,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.published_at = ? AND p.id < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: [
        "SEARCH p USING COVERING INDEX posts_by_time (channel_id=? AND published_at=? AND id<?)",
      ],
      rows: 9,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.published_at < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING COVERING INDEX posts_by_time (channel_id=? AND published_at<?)"],
      rows: 101,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.published_at >= ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING COVERING INDEX posts_by_time (channel_id=? AND published_at>?)"],
      rows: 101,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.published_at >= ? AND p.published_at < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: [
        "SEARCH p USING COVERING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 101,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.is_ad = 1 ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING COVERING INDEX posts_ads_by_time (channel_id=?)"],
      rows: 101,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.is_ad = 1 AND p.published_at = ? AND p.id < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: [
        "SEARCH p USING COVERING INDEX posts_ads_by_time (channel_id=? AND published_at=? AND id<?)",
      ],
      rows: 0,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.is_ad = 1 AND p.published_at < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING COVERING INDEX posts_ads_by_time (channel_id=? AND published_at<?)"],
      rows: 101,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.is_ad = 1 AND p.published_at >= ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING COVERING INDEX posts_ads_by_time (channel_id=? AND published_at>?)"],
      rows: 101,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE 1 AND p.channel_id = ? AND p.is_ad = 1 AND p.published_at >= ? AND p.published_at < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: [
        "SEARCH p USING COVERING INDEX posts_ads_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 101,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE within_deadline() AND p.channel_id = ? AND p.is_ad = 0 ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING INDEX posts_by_time (channel_id=?)"],
      rows: 111,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE within_deadline() AND p.channel_id = ? AND p.is_ad = 0 AND p.published_at = ? AND p.id < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at=? AND id<?)"],
      rows: 9,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE within_deadline() AND p.channel_id = ? AND p.is_ad = 0 AND p.published_at < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at<?)"],
      rows: 112,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE within_deadline() AND p.channel_id = ? AND p.is_ad = 0 AND p.published_at >= ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: ["SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at>?)"],
      rows: 111,
    },
    {
      sql: "SELECT p.id, p.published_at AS publishedAt FROM posts p WHERE within_deadline() AND p.channel_id = ? AND p.is_ad = 0 AND p.published_at >= ? AND p.published_at < ? ORDER BY p.published_at DESC, p.id DESC LIMIT ?",
      plan: [
        "SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 111,
    },
  ],
  "catalog/posts/shown-posts.store.ts selectPostsJson": [
    {
      sql: "SELECT … FROM json_each(?) given CROSS JOIN posts p ON p.id = given.value LEFT JOIN channels origin ON origin.id = p.forwarded_from AND origin.is_public = 1",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH origin USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
      ],
      rows: 300,
      why: "A page of at most 100 posts, each with the channel that it was forwarded from.",
    },
  ],
  "catalog/posts/shown-posts.store.ts selectPostTexts": [
    {
      sql: "SELECT … FROM json_each(?) given CROSS JOIN posts p ON p.id = given.value LEFT JOIN channels origin ON origin.id = p.forwarded_from AND origin.is_public = 1",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH origin USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
      ],
      rows: 1500,
      why: "Posts of a part of events, each with the channel that it was forwarded from.",
    },
  ],
  "catalog/posts/shown-posts.store.ts selectPost": [
    {
      sql: "SELECT … FROM posts p CROSS JOIN channels c ON c.id = p.channel_id LEFT JOIN channels origin ON origin.id = p.forwarded_from AND origin.is_public = 1 WHERE p.id = ? AND c.is_public = 1",
      plan: [
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH origin USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
      ],
      rows: 3,
    },
  ],
  "catalog/posts/posts.store.ts selectText": [
    {
      sql: "SELECT text FROM posts WHERE id = ?",
      plan: ["SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/posts/posts.store.ts albumPostIds": [
    {
      sql: "SELECT msgr_post_id AS id FROM posts WHERE channel_id = ? AND msgr_post_id BETWEEN ? AND ? AND album = ? ORDER BY msgr_post_id",
      plan: [
        "SEARCH posts USING INDEX posts_by_messenger_id (channel_id=? AND msgr_post_id>? AND msgr_post_id<?)",
      ],
      rows: 1,
    },
  ],
  "catalog/statistics/close-day.ts closeDay": [
    {
      sql: "SELECT id FROM channels WHERE is_public = 1 AND id > ? ORDER BY id LIMIT ?",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 520,
      why: "A part of 500 channels, with those before the next public one; outside of any transaction.",
    },
    {
      sql: "INSERT INTO daily_statistics (…) SELECT c.id, :day, c.subscribers, (SELECT coalesce(sum(p.views), 0) FROM posts p WHERE p.channel_id = c.id AND p.published_at >= :from AND p.published_at < :until), (SELECT count(*) FROM posts p WHERE p.channel_id = c.id AND p.published_at >= :from AND p.published_at < :until), 0, 0 FROM channels c WHERE c.is_public = 1 AND c.id BETWEEN :first AND :last ON CONFLICT (channel_id, day) DO NOTHING",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
        "CORRELATED SCALAR SUBQUERY 2",
        "  SEARCH p USING COVERING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 60,
      why: "A part of 500 channels, each with the posts of one day.",
    },
  ],
  "catalog/statistics/statistics.store.ts createStatisticsRecords": [
    {
      sql: "SELECT … FROM daily_statistics WHERE channel_id = ? AND day = ?",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=? AND day=?)"],
      rows: 1,
    },
    {
      sql: "SELECT … FROM posts WHERE channel_id = ? AND published_at >= ? AND published_at < ?",
      plan: [
        "SEARCH posts USING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 2,
    },
    {
      sql: "INSERT INTO daily_statistics (…) VALUES (…), …",
      plan: ["SCAN 50-ROW VALUES CLAUSE"],
      rows: 0,
    },
  ],
  "catalog/statistics/statistics.store.ts selectDailyStatistics": [
    {
      sql: "SELECT 1 FROM channels WHERE id = ? AND is_public = 1",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "SELECT s.day, s.subscribers, s.views, s.posts FROM daily_statistics s WHERE s.channel_id = ? AND s.day BETWEEN ? AND ? ORDER BY s.day",
      plan: ["SEARCH s USING PRIMARY KEY (channel_id=? AND day>? AND day<?)"],
      rows: 340,
      why: "The days asked for, 366 at the most for a short way.",
    },
  ],
  "catalog/statistics/statistics.store.ts selectStatisticsSpan": [
    {
      sql: "SELECT (SELECT min(day) FROM daily_statistics WHERE channel_id = c.id) AS first, (SELECT max(day) FROM daily_statistics WHERE channel_id = c.id) AS last FROM channels c WHERE c.id = ? AND c.is_public = 1",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH daily_statistics USING PRIMARY KEY (channel_id=?)",
        "CORRELATED SCALAR SUBQUERY 2",
        "  SEARCH daily_statistics USING PRIMARY KEY (channel_id=?)",
      ],
      rows: 3,
    },
  ],
  "catalog/channels/former-handles.store.ts formerHandlesOf": [
    {
      sql: "SELECT handle, given_up_at AS givenUpAt FROM former_handles WHERE channel_id = ? ORDER BY given_up_at DESC, id DESC",
      plan: [
        "SEARCH former_handles USING INDEX former_handles_by_channel (channel_id=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 1,
      why: "The former handles of one channel of an export, sorted.",
    },
  ],
  "catalog/channels/former-handles.store.ts createFormerHandles": [
    {
      sql: "DELETE FROM former_handles WHERE handle = @handle AND channel_id = @channelId",
      plan: [
        "SEARCH former_handles USING INDEX sqlite_autoindex_former_handles_1 (handle=? AND channel_id=?)",
      ],
      rows: 1,
    },
    {
      sql: "SELECT 1 FROM former_handles WHERE handle = @handle AND channel_id = @channelId",
      plan: [
        "SEARCH former_handles USING COVERING INDEX sqlite_autoindex_former_handles_1 (handle=? AND channel_id=?)",
      ],
      rows: 1,
    },
    {
      sql: "SELECT handle FROM former_handles WHERE channel_id = @channelId ORDER BY given_up_at DESC, id DESC LIMIT 20",
      plan: [
        "SEARCH former_handles USING INDEX former_handles_by_channel (channel_id=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 4,
    },
    {
      sql: "UPDATE OR IGNORE former_handles SET channel_id = @intoId WHERE channel_id = @id",
      plan: ["SEARCH former_handles USING COVERING INDEX former_handles_by_channel (channel_id=?)"],
      rows: 0,
    },
    {
      sql: "DELETE FROM former_handles WHERE channel_id = @id",
      plan: ["SEARCH former_handles USING COVERING INDEX former_handles_by_channel (channel_id=?)"],
      rows: 1,
    },
  ],
  "catalog/manage/removals.store.ts countRows": [
    {
      sql: "SELECT (SELECT count(*) FROM posts WHERE channel_id = @id) AS posts, (SELECT count(*) FROM daily_statistics WHERE channel_id = @id) AS days",
      plan: [
        "SCAN CONSTANT ROW",
        "SCALAR SUBQUERY 1",
        "  SEARCH posts USING COVERING INDEX posts_by_messenger_id (channel_id=?)",
        "SCALAR SUBQUERY 2",
        "  SEARCH daily_statistics USING PRIMARY KEY (channel_id=?)",
      ],
      rows: 10003,
      why: "For a command that shows or removes one channel: all it has, counted in an index.",
    },
  ],
  "catalog/manage/removals.store.ts endRemoval": [
    {
      sql: "DELETE FROM channels WHERE id = ?",
      plan: [
        "SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH post_tombstones USING COVERING INDEX post_tombstones_by_messenger_id (channel_id=?)",
        "SEARCH former_handles USING COVERING INDEX former_handles_by_channel (channel_id=?)",
        "SEARCH channel_texts USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH public_cards USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH webhook_channels USING PRIMARY KEY (channel_id=?)",
        "SEARCH posts USING COVERING INDEX posts_by_messenger_id (channel_id=?)",
        "SEARCH daily_statistics USING PRIMARY KEY (channel_id=?)",
        "SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1,
    },
    {
      sql: "UPDATE removed_channels SET into_id = @intoId WHERE into_id = @id",
      plan: ["SEARCH removed_channels USING INDEX removed_channels_by_into (into_id=?)"],
      rows: 0,
    },
    {
      sql: "UPDATE removed_channels SET is_done = 1 WHERE id = ?",
      plan: ["SEARCH removed_channels USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/manage/removals.store.ts removeSomeDays": [
    {
      sql: "SELECT day FROM daily_statistics WHERE channel_id = ? ORDER BY day LIMIT ?",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=?)"],
      rows: 100,
    },
    {
      sql: "UPDATE OR IGNORE daily_statistics SET channel_id = @intoId WHERE channel_id = @id AND day <= @last",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=? AND day<?)"],
      rows: 0,
    },
    {
      sql: "DELETE FROM daily_statistics WHERE channel_id = ? AND day <= ?",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=? AND day<?)"],
      rows: 100,
    },
  ],
  "catalog/manage/removals.store.ts removeSomePosts": [
    {
      sql: "SELECT id, published_at FROM posts WHERE channel_id = ? LIMIT ?",
      plan: ["SEARCH posts USING COVERING INDEX posts_by_time (channel_id=?)"],
      rows: 20,
    },
    {
      sql: "UPDATE OR IGNORE posts SET channel_id = @intoId WHERE id IN (SELECT value FROM json_each(@ids)) AND NOT EXISTS ( SELECT 1 FROM post_tombstones t WHERE t.channel_id = @intoId AND t.msgr_post_id = posts.msgr_post_id)",
      plan: [
        "SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
        "CORRELATED SCALAR SUBQUERY 2",
        "  SEARCH t USING COVERING INDEX post_tombstones_by_messenger_id (channel_id=? AND msgr_post_id=?)",
      ],
      rows: 20,
    },
    {
      sql: "DELETE FROM posts WHERE id IN (SELECT value FROM json_each(@ids)) AND +channel_id = @id",
      plan: [
        "SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
        "SEARCH alert_posts USING COVERING INDEX alert_posts_by_post (post_id=?)",
        "SEARCH read_posts USING COVERING INDEX read_posts_by_post (post_id=?)",
      ],
      rows: 40,
    },
  ],
  "catalog/manage/removals.store.ts selectRemoval": [
    {
      sql: "SELECT id, into_id AS intoId FROM removed_channels WHERE is_done = 0 ORDER BY id LIMIT 1",
      plan: ["SCAN removed_channels USING INDEX removed_channels_under_way"],
      rows: 1,
      why: "An index of the removals under way, of which there is one at the most.",
    },
  ],
  "catalog/manage/removals.store.ts removeSomeTombstones": [
    {
      sql: "UPDATE post_tombstones SET channel_id = @intoId, msgr_post_id = iif( EXISTS (SELECT 1 FROM posts p WHERE p.channel_id = @intoId AND p.msgr_post_id = post_tombstones.msgr_post_id) OR EXISTS (SELECT 1 FROM post_tombstones t WHERE t.channel_id = @intoId AND t.msgr_post_id = post_tombstones.msgr_post_id), NULL, msgr_post_id) WHERE id IN (SELECT id FROM post_tombstones WHERE channel_id = @id LIMIT @limit)",
      plan: [
        "SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 3",
        "  SEARCH post_tombstones USING COVERING INDEX post_tombstones_by_messenger_id (channel_id=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH p USING COVERING INDEX posts_by_messenger_id (channel_id=? AND msgr_post_id=?)",
        "CORRELATED SCALAR SUBQUERY 2",
        "  SEARCH t USING COVERING INDEX post_tombstones_by_messenger_id (channel_id=? AND msgr_post_id=?)",
      ],
      rows: 0,
    },
    {
      sql: "DELETE FROM post_tombstones WHERE id IN (SELECT id FROM post_tombstones WHERE channel_id = @id LIMIT @limit)",
      plan: [
        "SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SEARCH post_tombstones USING COVERING INDEX post_tombstones_by_messenger_id (channel_id=?)",
      ],
      rows: 0,
    },
  ],
  "catalog/statistics/statistics.store.ts daysAfter": [
    {
      sql: "SELECT … FROM daily_statistics s WHERE (s.channel_id, s.day) > (?, ?) ORDER BY s.channel_id, s.day LIMIT ?",
      plan: ["SEARCH s USING PRIMARY KEY ((channel_id,day)>(?,?))"],
      rows: 1001,
      why: "One part of an export: 1,000 days from a key on.",
    },
  ],
  "catalog/imports/kinds/exported-rows.store.ts postsAfter": [
    {
      sql: "SELECT … FROM posts p WHERE p.id > ? ORDER BY p.id LIMIT ?",
      plan: ["SEARCH p USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 1000,
      why: "One part of an export: 1,000 posts from a key on.",
    },
  ],
  "catalog/imports/kinds/exported-rows.store.ts forwardOutsideCatalog": [
    {
      sql: "SELECT target FROM mentions WHERE channel_id = @channel AND published_at = @publishedAt AND post_id = @id AND kinds & 2 LIMIT 1",
      plan: [
        "SEARCH mentions USING INDEX mentions_by_post (channel_id=? AND published_at=? AND post_id=?)",
      ],
      rows: 1,
    },
  ],
  "catalog/imports/kinds/exported-rows.store.ts tombstonesAfter": [
    {
      sql: "SELECT … FROM post_tombstones WHERE id > ? ORDER BY id LIMIT ?",
      plan: ["SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 0,
      why: "One part of an export: 1,000 posts that were taken down from a key on.",
    },
  ],
  "catalog/imports/kinds/exported-rows.store.ts highestGoneNumber": [
    {
      sql: "SELECT highest FROM post_numbers WHERE highest > max(coalesce((SELECT max(id) FROM posts), 0), coalesce((SELECT max(id) FROM post_tombstones), 0))",
      plan: [
        "SCAN post_numbers",
        "SCALAR SUBQUERY 1",
        "  SEARCH posts",
        "SCALAR SUBQUERY 2",
        "  SEARCH post_tombstones",
      ],
      rows: 3,
      why: "The one row of the highest number that is gone, and the ends of the posts and the tombstones.",
    },
  ],
  "catalog/imports/kinds/exported-rows.store.ts removedAfter": [
    {
      sql: "SELECT id, into_id AS merged_into FROM removed_channels WHERE id > ? ORDER BY id LIMIT ?",
      plan: ["SEARCH removed_channels USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 1000,
      why: "One part of an export: 1,000 channels that were merged or deleted from a number on.",
    },
  ],
  "catalog/imports/kinds/exported-rows.store.ts channelPostsAfter": [
    {
      sql: "SELECT … FROM posts p WHERE p.channel_id = ? AND p.published_at > ? ORDER BY p.published_at, p.id LIMIT ?",
      plan: ["SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at>?)"],
      rows: 1000,
      why: "One part of an export: 1,000 posts of a channel from a key on.",
    },
    {
      sql: "SELECT … FROM posts p WHERE p.channel_id = ? AND p.published_at > ? AND p.is_ad = 1 ORDER BY p.published_at, p.id LIMIT ?",
      plan: ["SEARCH p USING INDEX posts_ads_by_time (channel_id=? AND published_at>?)"],
      rows: 0,
    },
    {
      sql: "SELECT … FROM posts p WHERE p.channel_id = ? AND p.published_at = ? AND p.id > ? ORDER BY p.id LIMIT ?",
      plan: ["SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at=? AND id>?)"],
      rows: 8,
    },
    {
      sql: "SELECT … FROM posts p WHERE p.channel_id = ? AND p.published_at = ? AND p.id > ? AND p.is_ad = 1 ORDER BY p.id LIMIT ?",
      plan: ["SEARCH p USING INDEX posts_ads_by_time (channel_id=? AND published_at=? AND id>?)"],
      rows: 0,
    },
  ],
  "catalog/imports/kinds/exported-rows.store.ts nextChannelOfPosts": [
    {
      sql: "SELECT channel_id AS id FROM posts WHERE channel_id > ? ORDER BY channel_id LIMIT 1",
      plan: ["SEARCH posts USING COVERING INDEX posts_by_messenger_id (channel_id>?)"],
      rows: 1,
    },
  ],
  "catalog/imports/kinds/exported-rows.store.ts placeOfPost": [
    {
      sql: "SELECT … FROM posts WHERE id = @id UNION ALL SELECT channel_id, published_at FROM post_tombstones WHERE id = @id AND published_at IS NOT NULL LIMIT 1",
      plan: [
        "COMPOUND QUERY",
        "  LEFT-MOST SUBQUERY",
        "    SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)",
        "  UNION ALL",
        "    SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1,
    },
  ],
  "catalog/posts/tombstones.store.ts createTombstones": [
    {
      sql: "SELECT … FROM post_tombstones WHERE id = ?",
      plan: ["SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 0,
    },
    {
      sql: "SELECT … FROM post_tombstones WHERE channel_id = ? AND msgr_post_id = ? LIMIT 1",
      plan: [
        "SEARCH post_tombstones USING COVERING INDEX post_tombstones_by_messenger_id (channel_id=? AND msgr_post_id=?)",
      ],
      rows: 1,
    },
    {
      sql: "SELECT 1 WHERE ( EXISTS (SELECT 1 FROM read_posts r WHERE r.post_id = @id AND NOT EXISTS ( SELECT 1 FROM webhook_channels wc CROSS JOIN webhooks w ON w.id = wc.webhook_id WHERE wc.channel_id = @channel AND wc.since_sequence < r.sequence AND w.since_sequence >= r.sequence)) OR NOT EXISTS (SELECT 1 FROM webhook_channels WHERE channel_id = @channel) AND EXISTS (SELECT 1 FROM alert_posts WHERE post_id = @id) ) AND ( NOT EXISTS (SELECT 1 FROM alerts) OR EXISTS (SELECT 1 FROM alert_posts r WHERE r.post_id = @id AND NOT EXISTS ( SELECT 1 FROM alerts a WHERE a.since_sequence < r.sequence AND a.cut_sequence >= r.sequence)))",
      plan: [
        "SCAN CONSTANT ROW",
        "SCALAR SUBQUERY 2",
        "  SEARCH r USING COVERING INDEX read_posts_by_post (post_id=?)",
        "  CORRELATED SCALAR SUBQUERY 1",
        "    SEARCH wc USING PRIMARY KEY (channel_id=?)",
        "    SEARCH w USING INTEGER PRIMARY KEY (rowid=?)",
        "SCALAR SUBQUERY 3",
        "  SEARCH webhook_channels USING PRIMARY KEY (channel_id=?)",
        "SCALAR SUBQUERY 4",
        "  SEARCH alert_posts USING COVERING INDEX alert_posts_by_post (post_id=?)",
        "SCALAR SUBQUERY 5",
        "  SCAN alerts USING COVERING INDEX alerts_by_webhook",
        "SCALAR SUBQUERY 7",
        "  SEARCH r USING COVERING INDEX alert_posts_by_post (post_id=?)",
        "  CORRELATED SCALAR SUBQUERY 6",
        "    SEARCH a USING COVERING INDEX alerts_by_cut (cut_sequence>?)",
      ],
      rows: 3,
      why: "Of the alerts it needs any one, to know that there are some.",
    },
    {
      sql: "SELECT 1 FROM post_tombstones WHERE id = ? AND deleted_at < 0",
      plan: ["SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM post_tombstones WHERE id = ?",
      plan: ["SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE channels SET last_post_at = (SELECT max(published_at) FROM posts WHERE channel_id = @channel) WHERE id = @channel AND last_post_at = @publishedAt",
      plan: [
        "SEARCH channels USING INTEGER PRIMARY KEY (rowid=?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH posts USING COVERING INDEX posts_by_time (channel_id=?)",
      ],
      rows: 1,
    },
  ],
  "catalog/statistics/open-days.store.ts markChangedDay": [
    {
      sql: "INSERT INTO changed_days (channel_id, day) SELECT channel_id, day FROM daily_statistics WHERE channel_id = ? AND day = ? AND (views_given = 0 OR posts_given = 0) ON CONFLICT (channel_id, day) DO NOTHING",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=? AND day=?)"],
      rows: 1,
    },
  ],
  "catalog/statistics/open-days.store.ts forgetChangedDay": [
    {
      sql: "DELETE FROM changed_days WHERE channel_id = ? AND day = ?",
      plan: ["SEARCH changed_days USING PRIMARY KEY (channel_id=? AND day=?)"],
      rows: 1,
    },
  ],
  "catalog/statistics/open-days.store.ts saveDerived": [
    {
      sql: "UPDATE daily_statistics SET … WHERE channel_id = @channelId AND day = @day AND (views_given = 0 AND views <> @views OR posts_given = 0 AND posts <> @posts)",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=? AND day=?)"],
      rows: 1,
    },
  ],
  "catalog/statistics/open-days.store.ts selectChangedDays": [
    {
      sql: "SELECT channel_id AS channelId, day FROM changed_days ORDER BY channel_id, day LIMIT ?",
      plan: ["SCAN changed_days"],
      rows: 20,
      why: "Some of the days whose posts changed, which are few and forgotten after.",
    },
  ],
  "catalog/statistics/open-days.store.ts selectDerivedDays": [
    {
      sql: "SELECT … FROM daily_statistics WHERE (channel_id, day) > (?, ?) AND (views_given = 0 OR posts_given = 0) ORDER BY channel_id, day LIMIT ?",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY ((channel_id,day)>(?,?))"],
      rows: 94103,
      why: "kanalog recount looks at all days, outside of transactions.",
    },
  ],
  "catalog/posts/habits.store.ts selectHabits": [
    {
      sql: "SELECT id, published_at, views, is_ad FROM posts WHERE channel_id = ? AND published_at >= ? AND published_at < ? ORDER BY published_at DESC, id DESC LIMIT ?",
      plan: [
        "SEARCH posts USING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 2001,
      why: "The latest posts of a period, 2,000 at the most (habits.store.ts), for the hours and the share of advertising; on a reader thread, some 5 ms.",
    },
  ],
  "catalog/statistics/readings.store.ts selectLatest": [
    {
      sql: "SELECT subscribers FROM daily_statistics WHERE channel_id = ? AND day >= ? ORDER BY day DESC LIMIT ?",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=? AND day>?)"],
      rows: 30,
    },
  ],
  "catalog/sources/sources.store.ts add": [
    {
      sql: 'insert into "sources" (…) values (…) returning …',
      plan: [
        "SEARCH source_album_parts USING PRIMARY KEY (source_id=?)",
        "SEARCH source_chats USING PRIMARY KEY (source_id=?)",
        "SEARCH source_files USING PRIMARY KEY (source_id=?)",
        "SEARCH source_days USING PRIMARY KEY (source_id=?)",
      ],
      rows: 0,
    },
  ],
  "catalog/sources/sources.store.ts all": [
    {
      sql: 'select … from "sources" order by "sources"."id" asc',
      plan: ["SCAN sources"],
      rows: 1,
      why: "An operator has some tens of sources.",
    },
  ],
  "catalog/sources/sources.store.ts byId": [
    {
      sql: 'select … from "sources" where "sources"."id" = ?',
      plan: ["SEARCH sources USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/sources/sources.store.ts byName": [
    {
      sql: 'select … from "sources" where "sources"."name" = ?',
      plan: ["SEARCH sources USING INDEX sqlite_autoindex_sources_1 (name=?)"],
      rows: 1,
    },
  ],
  "catalog/sources/sources.store.ts claim": [
    {
      sql: 'update "sources" set … where ("sources"."id" = ? and "sources"."owner" IS ? and "sources"."heartbeat_at" IS ?) returning …',
      plan: ["SEARCH sources USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/sources/sources.store.ts counts": [
    {
      sql: 'select … from "sources" left join "source_days" on ("source_days"."source_id" = "sources"."id" and "source_days"."day" = ?)',
      plan: [
        "SCAN sources",
        "SEARCH source_days USING PRIMARY KEY (source_id=? AND day=?) LEFT-JOIN",
      ],
      rows: 2,
      why: "An operator has some tens of sources.",
    },
  ],
  "catalog/sources/sources.store.ts days": [
    {
      sql: 'select "day", "rows" from "source_days" where ("source_days"."source_id" = ? and "source_days"."day" >= ?)',
      plan: ["SEARCH source_days USING PRIMARY KEY (source_id=? AND day>?)"],
      rows: 1,
    },
  ],
  "catalog/sources/sources.store.ts files": [
    {
      sql: 'select "name", "bytes", "modified_at" from "source_files" where "source_files"."source_id" = ?',
      plan: ["SEARCH source_files USING PRIMARY KEY (source_id=?)"],
      rows: 0,
    },
  ],
  "catalog/sources/sources.store.ts heartbeat": [
    {
      sql: 'update "sources" set "heartbeat_at" = ? where "sources"."owner" = ?',
      plan: ["SCAN sources"],
      rows: 1,
      why: "An operator has some tens of sources.",
    },
  ],
  "catalog/sources/sources.store.ts ownerById": [
    {
      sql: 'select "owner" from "sources" where "sources"."id" = ?',
      plan: ["SEARCH sources USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/sources/sources.store.ts remove": [
    {
      sql: 'delete from "sources" where "sources"."id" = ?',
      plan: [
        "SEARCH sources USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH source_album_parts USING PRIMARY KEY (source_id=?)",
        "SEARCH source_chats USING PRIMARY KEY (source_id=?)",
        "SEARCH source_files USING PRIMARY KEY (source_id=?)",
        "SEARCH source_days USING PRIMARY KEY (source_id=?)",
      ],
      rows: 1,
    },
  ],
  "catalog/sources/sources.store.ts updateSource": [
    {
      sql: 'update "sources" set … where "sources"."id" = ?',
      plan: ["SEARCH sources USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: 'update "sources" set "position" = ? where "sources"."id" = ?',
      plan: ["SEARCH sources USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/sample/sample.store.ts forgetSample": [
    {
      sql: "DELETE FROM removed_channels WHERE is_done = 1 AND id IN ( SELECT s.id FROM sample_channels s WHERE NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = s.id))",
      plan: [
        "SEARCH removed_channels USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 2",
        "  SCAN s",
        "  CORRELATED SCALAR SUBQUERY 1",
        "    SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 4,
      why: "The sample has nine channels: its table is read whole.",
    },
  ],
  "catalog/sample/sample.store.ts hasOwnChannels": [
    {
      sql: "SELECT 1 FROM channels WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT 1",
      plan: [
        "SCAN channels",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
        "  CREATE BLOOM FILTER",
      ],
      rows: 1,
      why: "Ends at the first channel that is not one of the sample's nine.",
    },
  ],
  "catalog/sample/sample.store.ts markSample": [
    {
      sql: "INSERT INTO sample_channels (id, handle, title, subscribers) SELECT c.id, k.handle, k.title, c.subscribers FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id IN (SELECT value FROM json_each(?)) ON CONFLICT (id) DO NOTHING",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SCAN json_each VIRTUAL TABLE INDEX 1:",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 6,
    },
  ],
  "catalog/sample/sample.store.ts selectSample": [
    {
      sql: "SELECT s.id FROM sample_channels s CROSS JOIN channels c ON c.id = s.id CROSS JOIN channel_cards k ON k.id = s.id WHERE c.subscribers = s.subscribers AND k.title = s.title AND k.handle IS s.handle ORDER BY s.id",
      plan: [
        "SCAN s",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 6,
      why: "The sample has nine channels: its table is read whole.",
    },
  ],
  "catalog/post-search/catch-up.store.ts clearSome": [
    {
      sql: "DELETE FROM searched_posts WHERE (row) IN (SELECT row FROM searched_posts ORDER BY row LIMIT 1000)",
      plan: [
        "SEARCH searched_posts USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SCAN searched_posts",
      ],
      rows: 2000,
      why: "The index is emptied: some rows in each step, from its beginning.",
    },
    {
      sql: "DELETE FROM post_search_stale WHERE (channel_id) IN (SELECT channel_id FROM post_search_stale ORDER BY channel_id LIMIT 1000)",
      plan: [
        "SEARCH post_search_stale USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SCAN post_search_stale",
      ],
      rows: 0,
      why: "Channels that changed lately, the first or the first fifty: by their numbers.",
    },
    {
      sql: "DELETE FROM post_search_stems WHERE (stem) IN (SELECT stem FROM post_search_stems ORDER BY stem LIMIT 1000)",
      plan: [
        "SEARCH post_search_stems USING PRIMARY KEY (stem=?)",
        "LIST SUBQUERY 1",
        "  SCAN post_search_stems",
      ],
      rows: 2000,
      why: "The index is emptied: some rows in each step, from its beginning.",
    },
    {
      sql: "DELETE FROM post_search_docsize WHERE (id) IN (SELECT id FROM post_search_docsize ORDER BY id LIMIT 1000)",
      plan: [
        "SEARCH post_search_docsize USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SCAN post_search_docsize",
      ],
      rows: 2000,
      why: "The index is emptied: some rows in each step, from its beginning.",
    },
    {
      sql: "DELETE FROM post_search_idx WHERE (segid, term) IN (SELECT segid, term FROM post_search_idx ORDER BY segid, term LIMIT 500)",
      plan: [
        "SEARCH post_search_idx USING PRIMARY KEY (segid=? AND term=?)",
        "LIST SUBQUERY 2",
        "  SCAN post_search_idx",
      ],
      rows: 1000,
      why: "The index is emptied: some rows in each step, from its beginning.",
    },
    {
      sql: "DELETE FROM post_search_data WHERE (id) IN (SELECT id FROM post_search_data WHERE id >= 11 ORDER BY id LIMIT 100)",
      plan: [
        "SEARCH post_search_data USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SEARCH post_search_data USING INTEGER PRIMARY KEY (rowid>?)",
      ],
      rows: 200,
    },
  ],
  "catalog/post-search/catch-up.store.ts removeStaleChannel": [
    {
      sql: "DELETE FROM post_search_stale WHERE channel_id = ?",
      plan: ["SEARCH post_search_stale USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/post-search/catch-up.store.ts missingChannels": [
    {
      plan: [
        "SCAN json_each VIRTUAL TABLE INDEX 1:",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "  SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1,
      why: "Channels that are copied in one transaction: 500 at the most, each looked up.",
    },
  ],
  "catalog/post-search/catch-up.store.ts updateStaleChannel": [
    {
      sql: "UPDATE post_search_stale SET … WHERE channel_id = @channel_id",
      plan: ["SEARCH post_search_stale USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/post-search/catch-up.store.ts nextStaleChannel": [
    {
      sql: "SELECT channel_id, after_at, after_id FROM post_search_stale ORDER BY channel_id LIMIT 1",
      plan: ["SCAN post_search_stale"],
      rows: 1,
      why: "Channels that changed lately, the first or the first fifty: by their numbers.",
    },
  ],
  "catalog/post-search/catch-up.store.ts noteStale": [
    {
      plan: [
        "SCAN json_each VIRTUAL TABLE INDEX 1:",
        "SCALAR SUBQUERY 1",
        "  SCAN post_search_state",
        "SEARCH posts EXISTS USING COVERING INDEX posts_by_messenger_id (channel_id=?)",
      ],
      rows: 2,
      why: "Channels that are copied in one transaction, each looked up, and the single row of the index's state.",
    },
  ],
  "catalog/post-search/catch-up.store.ts postsOfStaleChannel": [
    {
      sql: "SELECT … FROM posts WHERE channel_id = ? AND (published_at, id) > (?, ?) ORDER BY published_at, id LIMIT ?",
      plan: ["SEARCH posts USING INDEX posts_by_time (channel_id=? AND published_at>?)"],
      rows: 21,
    },
  ],
  "catalog/post-search/catch-up.store.ts postsAfter": [
    {
      sql: "SELECT … FROM posts WHERE id > ? ORDER BY id LIMIT ?",
      plan: ["SEARCH posts USING INTEGER PRIMARY KEY (rowid>?)"],
      rows: 40,
    },
  ],
  "catalog/post-search/catch-up.store.ts emptyIndex": [
    {
      sql: "UPDATE post_search_state SET spill = 0, edition = edition + 1",
      plan: ["SCAN post_search_state"],
      rows: 1,
      why: "A table of one row.",
    },
  ],
  "catalog/post-search/matches.store.ts indexQueryOf": [
    {
      sql: "SELECT channel_id FROM post_search_stale ORDER BY channel_id LIMIT ?",
      plan: ["SCAN post_search_stale"],
      rows: 1,
      why: "Channels that changed lately, the first or the first fifty: by their numbers.",
    },
  ],
  "catalog/post-search/matches.store.ts countRows": [
    {
      sql: "SELECT count(*) AS n FROM (SELECT 1 FROM post_search s WHERE s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) LIMIT @most)",
      plan: ["CO-ROUTINE (subquery-1)", "  SCAN s VIRTUAL TABLE INDEX 0:M1><", "SCAN (subquery-1)"],
      rows: 33334,
      why: "Matches, counted to 10,000 by the index, under the deadline; while channels are stale each one's channel and facets are looked at.",
    },
  ],
  "catalog/post-search/matches.store.ts lookUpFromLast": [
    {
      sql: "SELECT … FROM json_each(@rows) r CROSS JOIN searched_posts m ON m.row = r.value WHERE within_deadline() ORDER BY m.row DESC",
      plan: [
        "SCAN r VIRTUAL TABLE INDEX 1:",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 2,
    },
  ],
  "catalog/post-search/matches.store.ts mostViewedOf": [
    {
      sql: "SELECT … FROM json_each(@rows) r CROSS JOIN searched_posts m ON m.row = r.value WHERE within_deadline() AND (m.views, m.published_at, m.post_id) < (@views, @at, @id) ORDER BY m.views DESC, m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SCAN r VIRTUAL TABLE INDEX 1:",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 2,
    },
  ],
  "catalog/post-search/matches.store.ts readCandidates": [
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) ORDER BY s.rowid DESC LIMIT @limit",
      plan: ["SCAN s VIRTUAL TABLE INDEX 192:M1><", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 4000,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND m.views >= @viewsMin ORDER BY s.rowid DESC LIMIT @limit",
      plan: ["SCAN s VIRTUAL TABLE INDEX 192:M1><", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 4000,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 AND instr(t.search_text, @category) > 0 ORDER BY s.rowid DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 192:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1200,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 AND instr(t.search_text, @territory) > 0 ORDER BY s.rowid DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 192:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 0,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 ORDER BY s.rowid DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 192:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 8000,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND m.views >= @viewsMin AND c.is_public = 1 ORDER BY s.rowid DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 192:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 8000,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
  ],
  "catalog/post-search/matches.store.ts readMostViewed": [
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND (m.views, m.published_at, m.post_id) < (@views, @at, @id) ORDER BY m.views DESC, m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 66666,
      why: "The candidates of a search, or of some levels of views, all sorted: 10,000 at the most, or 50,000 of one level, each found by its row.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 AND (m.views, m.published_at, m.post_id) < (@views, @at, @id) ORDER BY m.views DESC, m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 133332,
      why: "The candidates of a search, or of some levels of views, all sorted: 10,000 at the most, or 50,000 of one level, each found by its row.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 AND instr(t.search_text, @category) > 0 AND (m.views, m.published_at, m.post_id) < (@views, @at, @id) ORDER BY m.views DESC, m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 66668,
      why: "The candidates of a search, or of some levels of views, all sorted: 10,000 at the most, or 50,000 of one level, each found by its row.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND m.views >= @viewsMin AND (m.views, m.published_at, m.post_id) < (@views, @at, @id) ORDER BY m.views DESC, m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 66666,
      why: "The candidates of a search, or of some levels of views, all sorted: 10,000 at the most, or 50,000 of one level, each found by its row.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND m.views >= @viewsMin AND c.is_public = 1 AND (m.views, m.published_at, m.post_id) < (@views, @at, @id) ORDER BY m.views DESC, m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 133332,
      why: "The candidates of a search, or of some levels of views, all sorted: 10,000 at the most, or 50,000 of one level, each found by its row.",
    },
  ],
  "catalog/post-search/matches.store.ts readRows": [
    {
      sql: "SELECT s.rowid FROM post_search s WHERE s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) LIMIT @most",
      plan: ["SCAN s VIRTUAL TABLE INDEX 0:M1><"],
      rows: 10001,
      why: "The rows of matches, 10,001 at the most, in the index's order; while channels are stale each one's channel and facets are looked at.",
    },
    {
      sql: "SELECT s.rowid FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND m.views >= @viewsMin LIMIT @most",
      plan: ["SCAN s VIRTUAL TABLE INDEX 0:M1><", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 20002,
      why: "The rows of matches, 10,001 at the most, in the index's order; while channels are stale each one's channel and facets are looked at.",
    },
    {
      sql: "SELECT s.rowid FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 LIMIT @most",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 40004,
      why: "The rows of matches, 10,001 at the most, in the index's order; while channels are stale each one's channel and facets are looked at.",
    },
    {
      sql: "SELECT s.rowid FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 AND instr(t.search_text, @category) > 0 LIMIT @most",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 40004,
      why: "The rows of matches, 10,001 at the most, in the index's order; while channels are stale each one's channel and facets are looked at.",
    },
    {
      sql: "SELECT s.rowid FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 AND instr(t.search_text, @territory) > 0 LIMIT @most",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 0,
    },
    {
      sql: "SELECT s.rowid FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND m.views >= @viewsMin AND c.is_public = 1 LIMIT @most",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 0:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 40004,
      why: "The rows of matches, 10,001 at the most, in the index's order; while channels are stale each one's channel and facets are looked at.",
    },
  ],
  "catalog/post-search/matches.store.ts iterateCandidates": [
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) ORDER BY s.rowid DESC",
      plan: ["SCAN s VIRTUAL TABLE INDEX 192:M1><", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 208668,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND m.views >= @viewsMin ORDER BY s.rowid DESC",
      plan: ["SCAN s VIRTUAL TABLE INDEX 192:M1><", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 142004,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 ORDER BY s.rowid DESC",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 192:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 417336,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 AND instr(t.search_text, @category) > 0 ORDER BY s.rowid DESC",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 192:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 199996,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND c.is_public = 1 AND instr(t.search_text, @territory) > 0 ORDER BY s.rowid DESC",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 192:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 0,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
    {
      sql: "SELECT … FROM post_search s CROSS JOIN searched_posts m ON m.row = s.rowid CROSS JOIN channels c ON c.id = m.channel_id CROSS JOIN channel_texts t ON t.id = m.channel_id WHERE within_deadline() AND s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER) AND m.views >= @viewsMin AND c.is_public = 1 ORDER BY s.rowid DESC",
      plan: [
        "SCAN s VIRTUAL TABLE INDEX 192:M1><",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 284008,
      why: "Matches from the last row on, in the index's order, each found by its row; read until all that follow are older than the page's. 100,000 posts of these are of two minutes.",
    },
  ],
  "catalog/post-search/index-entries.store.ts createIndexEntries": [
    {
      sql: "SELECT … FROM posts WHERE id = ?",
      plan: ["SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "SELECT t.search_text FROM channels c CROSS JOIN channel_texts t ON t.id = c.id WHERE c.id = ? AND c.is_public = 1",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
    {
      sql: "SELECT row FROM searched_posts WHERE post_id = ?",
      plan: [
        "SEARCH searched_posts USING COVERING INDEX sqlite_autoindex_searched_posts_1 (post_id=?)",
      ],
      rows: 1,
    },
    {
      sql: "SELECT max(row) AS row FROM searched_posts WHERE row >= ? AND row < ?",
      plan: ["SEARCH searched_posts USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM post_search WHERE rowid = ?",
      plan: ["SCAN post_search VIRTUAL TABLE INDEX 0:="],
      rows: 1,
    },
    {
      sql: "DELETE FROM searched_posts WHERE row = ?",
      plan: ["SEARCH searched_posts USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: "UPDATE searched_posts SET views = ? WHERE post_id = ?",
      plan: ["SEARCH searched_posts USING INDEX sqlite_autoindex_searched_posts_1 (post_id=?)"],
      rows: 1,
    },
  ],
  "catalog/post-search/post-search-state.store.ts countSearched": [
    {
      sql: "SELECT count(*) AS n FROM searched_posts",
      plan: ["SCAN searched_posts USING COVERING INDEX sqlite_autoindex_searched_posts_1"],
      rows: 110000,
      why: "Told once, by a command, after the index was built.",
    },
  ],
  "catalog/post-search/post-search-state.store.ts selectProgress": [
    {
      sql: "SELECT max(id) AS id FROM posts",
      plan: ["SEARCH posts"],
      rows: 1,
    },
  ],
  "catalog/post-search/post-search-state.store.ts selectState": [
    {
      sql: "SELECT phase, after_id, spill, edition FROM post_search_state",
      plan: ["SCAN post_search_state"],
      rows: 1,
      why: "One row.",
    },
  ],
  "catalog/post-search/post-search-state.store.ts updateState": [
    {
      sql: "UPDATE post_search_state SET phase = ?, after_id = ?",
      plan: ["SCAN post_search_state"],
      rows: 1,
      why: "One row.",
    },
  ],
  "catalog/post-search/post-search-state.store.ts updateSpill": [
    {
      sql: "UPDATE post_search_state SET spill = ?",
      plan: ["SCAN post_search_state"],
      rows: 1,
      why: "One row.",
    },
  ],
  "catalog/post-search/relevance.store.ts frequenciesOf": [
    {
      sql: "SELECT s.rowid AS row FROM post_search s WHERE s.post_search MATCH @match AND s.rowid >= CAST(@low AS INTEGER) AND s.rowid < CAST(@high AS INTEGER)",
      plan: ["SCAN s VIRTUAL TABLE INDEX 0:M1><"],
      rows: 0,
      why: "The rows that have a stem among the newest 2,000 matches: of 10,000 posts at the most, or of the matches alone.",
    },
  ],
  "catalog/post-search/relevance.store.ts postsWith": [
    {
      sql: "SELECT count(*) AS n FROM (SELECT 1 FROM post_search s WHERE s.post_search MATCH ? LIMIT ?)",
      plan: ["CO-ROUTINE (subquery-1)", "  SCAN s VIRTUAL TABLE INDEX 0:M1", "SCAN (subquery-1)"],
      rows: 1000,
      why: "Posts with a stem, counted to 1,000.",
    },
  ],
  "catalog/post-search/relevance.store.ts rankByRelevance": [
    {
      sql: "SELECT coalesce(max(id), 0) AS n FROM posts",
      plan: ["SEARCH posts"],
      rows: 1,
    },
  ],
  "catalog/comparison/comparison.store.ts compareChannels": [
    {
      sql: "SELECT subscribers FROM daily_statistics WHERE channel_id = ? AND day BETWEEN ? AND ? ORDER BY day LIMIT 1",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=? AND day>? AND day<?)"],
      rows: 1,
    },
    {
      sql: "SELECT subscribers FROM daily_statistics WHERE channel_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC LIMIT 1",
      plan: ["SEARCH daily_statistics USING PRIMARY KEY (channel_id=? AND day>? AND day<?)"],
      rows: 1,
    },
  ],
  "catalog/comparison/comparison.store.ts postsOf": [
    {
      sql: "SELECT … FROM posts p INDEXED BY posts_by_time WHERE within_deadline() AND p.channel_id = ? AND p.published_at >= ? AND p.published_at < ?",
      plan: [
        "SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 10000,
      why: "A channel's posts of a year at most, added up in one scan, by a reader thread under the deadline.",
    },
  ],
  "catalog/metrics/metric-orders.store.ts addEntries": [
    {
      sql: "INSERT INTO metric_orders (…) VALUES (…), …",
      plan: ["SCAN 50-ROW VALUES CLAUSE"],
      rows: 0,
    },
  ],
  "catalog/metrics/metric-orders.store.ts forgetStale": [
    {
      sql: "DELETE FROM stale_orders WHERE slot = ? AND metric = ?",
      plan: ["SEARCH stale_orders USING PRIMARY KEY (slot=? AND metric=?)"],
      rows: 1,
    },
  ],
  "catalog/metrics/metric-orders.store.ts isStale": [
    {
      sql: "SELECT 1 FROM stale_orders WHERE slot = ? AND metric = ?",
      plan: ["SEARCH stale_orders USING PRIMARY KEY (slot=? AND metric=?)"],
      rows: 1,
    },
  ],
  "catalog/metrics/metric-orders.store.ts orderValuesAfter": [
    {
      sql: "SELECT is_chat, growth_7d, id FROM channel_metrics WHERE slot = ? AND id > ? AND growth_7d IS NOT NULL ORDER BY id LIMIT ?",
      plan: ["SEARCH channel_metrics USING PRIMARY KEY (slot=? AND id>?)"],
      rows: 30205,
      why: "10,000 values at a time, outside of any transaction that writes.",
    },
    {
      sql: "SELECT is_chat, growth_30d, id FROM channel_metrics WHERE slot = ? AND id > ? AND growth_30d IS NOT NULL ORDER BY id LIMIT ?",
      plan: ["SEARCH channel_metrics USING PRIMARY KEY (slot=? AND id>?)"],
      rows: 30205,
      why: "10,000 values at a time, outside of any transaction that writes.",
    },
    {
      sql: "SELECT is_chat, growth_30d_percent, id FROM channel_metrics WHERE slot = ? AND id > ? AND growth_30d_percent IS NOT NULL AND is_small = 0 ORDER BY id LIMIT ?",
      plan: ["SEARCH channel_metrics USING PRIMARY KEY (slot=? AND id>?)"],
      rows: 30205,
      why: "10,000 values at a time, outside of any transaction that writes.",
    },
    {
      sql: "SELECT is_chat, reach_30d, id FROM channel_metrics WHERE slot = ? AND id > ? AND reach_30d IS NOT NULL ORDER BY id LIMIT ?",
      plan: ["SEARCH channel_metrics USING PRIMARY KEY (slot=? AND id>?)"],
      rows: 30205,
      why: "10,000 values at a time, outside of any transaction that writes.",
    },
    {
      sql: "SELECT is_chat, err_30d, id FROM channel_metrics WHERE slot = ? AND id > ? AND err_30d IS NOT NULL AND is_small = 0 ORDER BY id LIMIT ?",
      plan: ["SEARCH channel_metrics USING PRIMARY KEY (slot=? AND id>?)"],
      rows: 30205,
      why: "10,000 values at a time, outside of any transaction that writes.",
    },
    {
      sql: "SELECT is_chat, err_30d, id FROM channel_metrics WHERE slot = ? AND id > ? AND err_30d IS NOT NULL AND is_small = 1 ORDER BY id LIMIT ?",
      plan: ["SEARCH channel_metrics USING PRIMARY KEY (slot=? AND id>?)"],
      rows: 30205,
      why: "10,000 values at a time, outside of any transaction that writes.",
    },
  ],
  "catalog/metrics/metric-orders.store.ts removeEntries": [
    {
      sql: "SELECT is_chat, value, id FROM metric_orders WHERE slot = ? AND metric = ? ORDER BY is_chat, value DESC, id LIMIT 1 OFFSET ?",
      plan: ["SEARCH metric_orders USING PRIMARY KEY (slot=? AND metric=?)"],
      rows: 500,
      why: "500 entries in one step, beside each other; the steps are cut by the time they hold the lock.",
    },
    {
      sql: "DELETE FROM metric_orders WHERE slot = @slot AND metric = @metric",
      plan: ["SEARCH metric_orders USING PRIMARY KEY (slot=? AND metric=?)"],
      rows: 500,
      why: "500 entries in one step, beside each other; the steps are cut by the time they hold the lock.",
    },
    {
      sql: "DELETE FROM metric_orders WHERE slot = @slot AND metric = @metric AND is_chat < @is_chat",
      plan: ["SEARCH metric_orders USING PRIMARY KEY (slot=? AND metric=? AND is_chat<?)"],
      rows: 375,
      why: "500 entries in one step, beside each other; the steps are cut by the time they hold the lock.",
    },
    {
      sql: "DELETE FROM metric_orders WHERE slot = @slot AND metric = @metric AND is_chat = @is_chat AND value > @value",
      plan: [
        "SEARCH metric_orders USING PRIMARY KEY (slot=? AND metric=? AND is_chat=? AND value>?)",
      ],
      rows: 498,
      why: "500 entries in one step, beside each other; the steps are cut by the time they hold the lock.",
    },
    {
      sql: "DELETE FROM metric_orders WHERE slot = @slot AND metric = @metric AND is_chat = @is_chat AND value = @value AND id <= @id",
      plan: [
        "SEARCH metric_orders USING PRIMARY KEY (slot=? AND metric=? AND is_chat=? AND value=? AND id<?)",
      ],
      rows: 500,
      why: "500 entries in one step, beside each other; the steps are cut by the time they hold the lock.",
    },
  ],
  "catalog/metrics/metrics.store.ts beginRun": [
    {
      sql: "UPDATE metrics_read SET run = run + 1 RETURNING run, 1 - slot AS slot",
      plan: ["SCAN metrics_read"],
      rows: 1,
      why: "A table of one row.",
    },
  ],
  "catalog/metrics/metrics.store.ts isLastRun": [
    {
      sql: "SELECT 1 FROM metrics_read WHERE run = ?",
      plan: ["SCAN metrics_read"],
      rows: 1,
      why: "A table of one row.",
    },
  ],
  "catalog/metrics/metrics.store.ts readingsAfter": [
    {
      sql: "SELECT c.id, c.is_chat, c.subscribers < 100 AS is_small, c.subscribers, s.day, s.subscribers AS last, coalesce( (SELECT b.subscribers FROM daily_statistics b WHERE b.channel_id = c.id AND b.day = s.day - 1), (SELECT b.subscribers FROM daily_statistics b WHERE b.channel_id = c.id AND b.day BETWEEN s.day - 1 - 2 AND min(s.day - 1 + 2, s.day - 1) ORDER BY abs(b.day - (s.day - 1)), b.day LIMIT 1)) AS before1, coalesce( (SELECT b.subscribers FROM daily_statistics b WHERE b.channel_id = c.id AND b.day = s.day - 7), (SELECT b.subscribers FROM daily_statistics b WHERE b.channel_id = c.id AND b.day BETWEEN s.day - 7 - 2 AND min(s.day - 7 + 2, s.day - 1) ORDER BY abs(b.day - (s.day - 7)), b.day LIMIT 1)) AS before7, coalesce( (SELECT b.subscribers FROM daily_statistics b WHERE b.channel_id = c.id AND b.day = s.day - 30), (SELECT b.subscribers FROM daily_statistics b WHERE b.channel_id = c.id AND b.day BETWEEN s.day - 30 - 2 AND min(s.day - 30 + 2, s.day - 1) ORDER BY abs(b.day - (s.day - 30)), b.day LIMIT 1)) AS before30, EXISTS (SELECT 1 FROM posts WHERE channel_id = c.id) AS hasPosts FROM channels c LEFT JOIN daily_statistics s ON s.channel_id = c.id AND s.day = (SELECT max(day) FROM daily_statistics WHERE channel_id = c.id) WHERE c.id > ? ORDER BY c.id LIMIT ?",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid>?)",
        "SEARCH s USING PRIMARY KEY (channel_id=? AND day=?) LEFT-JOIN",
        "CORRELATED SCALAR SUBQUERY 8",
        "  SEARCH daily_statistics USING PRIMARY KEY (channel_id=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH b USING PRIMARY KEY (channel_id=? AND day=?)",
        "CORRELATED SCALAR SUBQUERY 2",
        "  SEARCH b USING PRIMARY KEY (channel_id=? AND day>? AND day<?)",
        "  USE TEMP B-TREE FOR ORDER BY",
        "CORRELATED SCALAR SUBQUERY 3",
        "  SEARCH b USING PRIMARY KEY (channel_id=? AND day=?)",
        "CORRELATED SCALAR SUBQUERY 4",
        "  SEARCH b USING PRIMARY KEY (channel_id=? AND day>? AND day<?)",
        "  USE TEMP B-TREE FOR ORDER BY",
        "CORRELATED SCALAR SUBQUERY 5",
        "  SEARCH b USING PRIMARY KEY (channel_id=? AND day=?)",
        "CORRELATED SCALAR SUBQUERY 6",
        "  SEARCH b USING PRIMARY KEY (channel_id=? AND day>? AND day<?)",
        "  USE TEMP B-TREE FOR ORDER BY",
        "CORRELATED SCALAR SUBQUERY 7",
        "  SEARCH posts USING COVERING INDEX posts_by_messenger_id (channel_id=?)",
      ],
      rows: 3019,
      why: "500 channels at a time, outside of any transaction that writes; at most five days are sorted, where the day looked for has none.",
    },
  ],
  "catalog/metrics/metrics.store.ts publishRun": [
    {
      sql: "UPDATE metrics_read SET slot = ? WHERE run = ?",
      plan: ["SCAN metrics_read"],
      rows: 1,
      why: "A table of one row.",
    },
  ],
  "catalog/metrics/metrics.store.ts saveMetrics": [
    {
      sql: "INSERT INTO channel_metrics (…) SELECT @slot, @id, @is_chat, @is_small, @growth_1d, @growth_7d, @growth_30d, @growth_7d_percent, @growth_30d_percent, @posts_30d, @ads_30d, @reach_30d, @err_30d, @statistics_until WHERE EXISTS (SELECT 1 FROM channels WHERE id = @id) ON CONFLICT (slot, id) DO UPDATE SET …",
      plan: ["SEARCH channels EXISTS USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/metrics/metrics.store.ts selectEngagement": [
    {
      sql: "SELECT … FROM channels c CROSS JOIN posts p INDEXED BY posts_by_time ON p.channel_id = c.id WHERE c.id BETWEEN ? AND ? AND p.published_at >= ? AND p.published_at < ? GROUP BY c.id",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
        "SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 11500,
      why: "30 days of posts of 500 channels at a time, outside of any transaction that writes.",
    },
  ],
  "catalog/metrics/metrics.store.ts selectMetrics": [
    {
      sql: "SELECT … FROM json_each(?) given CROSS JOIN channels c ON c.id = given.value AND c.is_public = 1 CROSS JOIN channel_metrics m ON m.slot = (SELECT slot FROM metrics_read) AND m.id = c.id AND m.is_chat = c.is_chat",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH m USING PRIMARY KEY (slot=? AND id=?)",
        "SCALAR SUBQUERY 1",
        "  SCAN metrics_read",
      ],
      rows: 151,
      why: "A page of 100 cards at most, and a table of one row.",
    },
  ],
  "catalog/metrics/metrics.store.ts currentSlot": [
    {
      sql: "SELECT slot FROM metrics_read",
      plan: ["SCAN metrics_read"],
      rows: 1,
      why: "A table of one row.",
    },
  ],
  "catalog/metrics/metrics.store.ts storedMetrics": [
    {
      sql: "SELECT … FROM channel_metrics WHERE slot = ? AND id BETWEEN ? AND ?",
      plan: ["SEARCH channel_metrics USING PRIMARY KEY (slot=? AND id>? AND id<?)"],
      rows: 500,
      why: "500 channels at a time, outside of any transaction that writes.",
    },
  ],
  "catalog/search/describe-selection.ts describeSelection": [
    {
      sql: "SELECT … FROM json_each(?) given CROSS JOIN channels c ON c.id = given.value CROSS JOIN channel_texts t ON t.id = c.id GROUP BY facets",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR GROUP BY",
      ],
      rows: 43500,
      why: "20,000 channels at most, which a plan of the catalog found.",
    },
  ],
  "catalog/search/describe-selection.ts groupsOfAll": [
    {
      sql: "SELECT … FROM channels c CROSS JOIN channel_texts t ON t.id = c.id WHERE within_deadline() AND c.is_public = 1 AND c.is_chat = @isChat GROUP BY facets",
      plan: [
        "SEARCH c USING INDEX channels_by_kind (is_chat=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR GROUP BY",
      ],
      rows: 57500,
      why: "All channels, by a reader thread under the deadline, one selection at a time (large-selections.ts).",
    },
  ],
  "catalog/search/describe-selection.ts sharesOf": [
    {
      sql: "SELECT id, slug FROM categories ORDER BY position",
      plan: ["SCAN categories", "USE TEMP B-TREE FOR ORDER BY"],
      rows: 50,
    },
    {
      sql: "SELECT id, slug FROM territories ORDER BY position",
      plan: ["SCAN territories", "USE TEMP B-TREE FOR ORDER BY"],
      rows: 1221,
      why: "A directory as a whole, in its order.",
    },
  ],
  "catalog/exports/bulk-selection.ts selectedChannels": [
    {
      sql: "SELECT … FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ?",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
  ],
  "catalog/exports/bulk-selection.ts metricsTest": [
    {
      sql: "SELECT 1 FROM channel_metrics m WHERE m.slot = (SELECT slot FROM metrics_read) AND m.id = @id AND (@growth IS NULL OR m.growth_30d >= @growth) AND (@reach IS NULL OR m.reach_30d >= @reach) AND (@err IS NULL OR m.err_30d >= @err)",
      plan: [
        "SEARCH m USING PRIMARY KEY (slot=? AND id=?)",
        "SCALAR SUBQUERY 1",
        "  SCAN metrics_read",
      ],
      rows: 2,
      why: "A row by its key, and a table of one row.",
    },
  ],
  "catalog/mentions/build-mentions.ts postsBetween": [
    {
      sql: "SELECT … FROM posts WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
      plan: ["SEARCH posts USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
      rows: 20,
    },
  ],
  "catalog/mentions/mentions.store.ts newestMentions": [
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 4000,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND (m.published_at, m.post_id) < (@atMs, @belowId) ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=? AND (published_at,post_id)<(?,?))",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 203,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND m.published_at >= @fromMs ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=? AND published_at>?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 202,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND m.published_at >= @fromMs AND (m.published_at, m.post_id) < (@atMs, @belowId) ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=? AND published_at>? AND (published_at,post_id)<(?,?))",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 203,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND m.published_at < @untilMs ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=? AND published_at<?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 202,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND m.kinds & @kind ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 100000,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND m.kinds & @kind AND (m.published_at, m.post_id) < (@atMs, @belowId) ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=? AND (published_at,post_id)<(?,?))",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 203,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND m.kinds & @kind AND m.published_at >= @fromMs ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=? AND published_at>?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 100000,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND m.kinds & @kind AND m.published_at >= @fromMs AND (m.published_at, m.post_id) < (@atMs, @belowId) ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=? AND published_at>? AND (published_at,post_id)<(?,?))",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 203,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
    {
      sql: "SELECT … FROM mentions m CROSS JOIN channels c ON c.id = m.channel_id AND c.is_public = 1 WHERE within_deadline() AND m.target = @target AND m.channel_id <> @channelId AND m.kinds & @kind AND m.published_at < @untilMs ORDER BY m.published_at DESC, m.post_id DESC LIMIT @limit",
      plan: [
        "SEARCH m USING PRIMARY KEY (target=? AND published_at<?)",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 100000,
      why: "A page of mentions in their order, and the channels of them; those of another kind or of hidden channels are passed over, under the deadline.",
    },
  ],
  "catalog/mentions/mentions.store.ts newestTargets": [
    {
      sql: "SELECT target FROM mentions WHERE channel_id = ? ORDER BY published_at DESC, post_id DESC LIMIT ?",
      plan: ["SEARCH mentions USING COVERING INDEX mentions_by_post (channel_id=?)"],
      rows: 40,
    },
  ],
  "catalog/mentions/mentions.store.ts selectMentions": [
    {
      sql: "SELECT … FROM json_each(@targets) t CROSS JOIN mentions m ON m.target = t.value AND m.published_at = @publishedAt AND m.post_id = @id",
      plan: [
        "SCAN t VIRTUAL TABLE INDEX 1:",
        "SEARCH m USING PRIMARY KEY (target=? AND published_at=? AND post_id=?)",
      ],
      rows: 5,
    },
    {
      sql: "SELECT … FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = @id",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
  ],
  "catalog/mentions/mentions.store.ts targetsOf": [
    {
      sql: "SELECT lower(handle) AS target FROM channel_cards WHERE id = @id AND handle IS NOT NULL UNION ALL SELECT lower(had.handle) FROM former_handles had WHERE had.channel_id = @id AND coalesce( (SELECT k.id FROM channel_cards k WHERE k.handle = had.handle), (SELECT f.channel_id FROM former_handles f WHERE f.handle = had.handle ORDER BY f.given_up_at DESC, f.id DESC LIMIT 1)) = @id UNION ALL SELECT 'c/' || msgr_id FROM channel_cards WHERE id = @id AND msgr_id IS NOT NULL UNION ALL SELECT '#' || id FROM removed_channels WHERE into_id = @id",
      plan: [
        "COMPOUND QUERY",
        "  LEFT-MOST SUBQUERY",
        "    SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid=?)",
        "  UNION ALL",
        "    SEARCH had USING INDEX former_handles_by_channel (channel_id=?)",
        "    CORRELATED SCALAR SUBQUERY 2",
        "      SEARCH k USING COVERING INDEX sqlite_autoindex_channel_cards_2 (handle=?)",
        "    CORRELATED SCALAR SUBQUERY 3",
        "      SEARCH f USING INDEX sqlite_autoindex_former_handles_1 (handle=?)",
        "      USE TEMP B-TREE FOR ORDER BY",
        "  UNION ALL",
        "    SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid=?)",
        "  UNION ALL",
        "    SEARCH removed_channels USING COVERING INDEX removed_channels_by_into (into_id=?)",
      ],
      rows: 6,
    },
  ],
  "catalog/mentions/neighbours.store.ts mostOf": [
    {
      sql: "SELECT c.id, k.title, k.handle FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ? AND c.is_public = 1",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
  ],
  "catalog/mentions/similar.store.ts compared": [
    {
      sql: "SELECT … FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.id = ? AND c.is_public = 1",
      plan: [
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
  ],
  "catalog/mentions/similar.store.ts idOfSlug": [
    {
      sql: "SELECT id FROM categories WHERE slug = ?",
      plan: ["SEARCH categories USING COVERING INDEX sqlite_autoindex_categories_1 (slug=?)"],
      rows: 1,
    },
    {
      sql: "SELECT id FROM territories WHERE slug = ?",
      plan: ["SEARCH territories USING COVERING INDEX sqlite_autoindex_territories_1 (slug=?)"],
      rows: 1,
    },
  ],
  "catalog/mentions/write-mentions.ts createMentions": [
    {
      sql: "UPDATE mentions SET kinds = @kinds WHERE target = @target AND published_at = @publishedAt AND post_id = @id",
      plan: ["SEARCH mentions USING PRIMARY KEY (target=? AND published_at=? AND post_id=?)"],
      rows: 1,
    },
    {
      sql: "DELETE FROM mentions WHERE target = @target AND published_at = @publishedAt AND post_id = @id",
      plan: ["SEARCH mentions USING PRIMARY KEY (target=? AND published_at=? AND post_id=?)"],
      rows: 1,
    },
    {
      sql: "SELECT target, kinds FROM mentions WHERE channel_id = @channel AND published_at = @publishedAt AND post_id = @id",
      plan: [
        "SEARCH mentions USING INDEX mentions_by_post (channel_id=? AND published_at=? AND post_id=?)",
      ],
      rows: 2,
    },
  ],
  "catalog/sources/album-parts.store.ts parts": [
    {
      sql: 'select … from "source_album_parts" where ("source_album_parts"."source_id" = ? and "source_album_parts"."chat" = ? and "source_album_parts"."message_id" between ? and ? and "source_album_parts"."album" = ?) order by "source_album_parts"."message_id" asc',
      plan: [
        "SEARCH source_album_parts USING PRIMARY KEY (source_id=? AND chat=? AND message_id>? AND message_id<?)",
      ],
      rows: 2,
    },
  ],
  "catalog/sources/album-parts.store.ts putPart": [
    {
      sql: 'delete from "source_album_parts" where ("source_album_parts"."source_id" = ? and "source_album_parts"."chat" = ? and "source_album_parts"."message_id" < ?)',
      plan: [
        "SEARCH source_album_parts USING PRIMARY KEY (source_id=? AND chat=? AND message_id<?)",
      ],
      rows: 0,
    },
  ],
  "catalog/sources/source-chats.store.ts chats": [
    {
      sql: 'select … from "source_chats" where "source_chats"."source_id" = ?',
      plan: ["SEARCH source_chats USING PRIMARY KEY (source_id=?)"],
      rows: 2,
    },
  ],
  "catalog/sources/source-chats.store.ts removeChat": [
    {
      sql: 'delete from "source_chats" where ("source_chats"."source_id" = ? and "source_chats"."chat" = ?)',
      plan: ["SEARCH source_chats USING PRIMARY KEY (source_id=? AND chat=?)"],
      rows: 1,
    },
  ],
  "catalog/sources/source-chats.store.ts unread": [
    {
      sql: 'select "chat" from "source_chats" where ("source_chats"."source_id" = ? and "source_chats"."card_at" is null) limit ?',
      plan: ["SEARCH source_chats USING PRIMARY KEY (source_id=?)"],
      rows: 1,
    },
  ],
  "catalog/sources/stored-posts.store.ts selectPostIds": [
    {
      sql: "SELECT CAST(msgr_post_id AS TEXT) AS id FROM posts WHERE channel_id = ? AND published_at BETWEEN ? AND ? AND msgr_post_id IS NOT NULL",
      plan: [
        "SEARCH posts USING INDEX posts_by_time (channel_id=? AND published_at>? AND published_at<?)",
      ],
      rows: 1,
    },
  ],
  "catalog/sources/stored-posts.store.ts isHandleTaken": [
    {
      sql: "SELECT 1 FROM channel_cards WHERE id = ? AND msgr_id IS NOT NULL",
      plan: ["SEARCH channel_cards USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "catalog/manage/found-channels.store.ts foundByTitle": [
    {
      sql: "SELECT … FROM channel_texts t CROSS JOIN channels c ON c.id = t.id CROSS JOIN channel_cards k ON k.id = t.id WHERE within_deadline() AND instr(t.search_text, ?) > 0 ORDER BY t.id LIMIT ?",
      plan: [
        "SCAN t",
        "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1341,
      why: "Staff look for hidden channels too, which the index has not: all search texts, on a reader thread under the deadline, until a page is full.",
    },
  ],
  "catalog/posts/found-posts.store.ts foundPosts": [
    {
      sql: "SELECT … FROM posts p WHERE within_deadline() AND p.channel_id = @channelId AND (p.published_at, p.id) < (@publishedAt, @id) ORDER BY p.published_at DESC, p.id DESC",
      plan: ["SEARCH p USING INDEX posts_by_time (channel_id=? AND published_at<?)"],
      rows: 10000,
      why: "Staff look for a text: posts of one channel in order, on a reader thread under the deadline, until a page is full.",
    },
    {
      sql: "SELECT … FROM posts p WHERE within_deadline() AND p.id < @id ORDER BY p.id DESC",
      plan: ["SEARCH p USING INTEGER PRIMARY KEY (rowid<?)"],
      rows: 10116,
      why: "The same in all posts by their number.",
    },
  ],
  "catalog/post-search/vocabulary.store.ts estimatedPosts": [
    {
      sql: "SELECT posts FROM post_search_stems WHERE stem = ?",
      plan: ["SEARCH post_search_stems USING PRIMARY KEY (stem=?)"],
      rows: 1,
    },
  ],
  "catalog/post-search/vocabulary.store.ts stemsBeginning": [
    {
      sql: "SELECT stem FROM ( SELECT stem, posts FROM post_search_stems WHERE within_deadline() AND stem >= @beginning AND stem < @end LIMIT 50000) ORDER BY posts DESC, length(stem), stem LIMIT @limit",
      plan: [
        "CO-ROUTINE (subquery-1)",
        "  SEARCH post_search_stems USING PRIMARY KEY (stem>? AND stem<?)",
        "SCAN (subquery-1)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 1,
    },
  ],
  "catalog/search/last-post-order.ts addBetween": [
    {
      sql: "INSERT INTO last_post_order (is_chat, step, id, last_post_at) SELECT … FROM channels WHERE id > ? AND id <= ? ON CONFLICT DO UPDATE SET last_post_at = excluded.last_post_at",
      plan: ["SEARCH channels USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
      rows: 200,
    },
  ],
  "catalog/search/last-post-order.ts lastOf": [
    {
      sql: "SELECT max(id) AS id FROM ( SELECT id FROM channels WHERE id > ? AND id <= ? ORDER BY id LIMIT 200)",
      plan: [
        "CO-ROUTINE (subquery-1)",
        "  SEARCH channels USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
        "SEARCH (subquery-1)",
      ],
      rows: 200,
    },
  ],
  "catalog/search/last-post-order.ts remove": [
    {
      sql: "DELETE FROM last_post_order WHERE is_chat = ? AND step = ? AND id = ?",
      plan: ["SEARCH last_post_order USING PRIMARY KEY (is_chat=? AND step=? AND id=?)"],
      rows: 1,
    },
  ],
  "catalog/search/last-post-order.ts entriesWhere": [
    {
      sql: "SELECT o.is_chat, o.step, o.id, NOT EXISTS ( SELECT 1 FROM channels c WHERE c.id = o.id AND c.is_chat = o.is_chat AND c.last_post_at IS o.last_post_at) AS isStale FROM last_post_order o WHERE o.is_chat = @is_chat AND o.step = @step AND o.id > @id ORDER BY o.step DESC, o.id LIMIT 500",
      plan: [
        "SEARCH o USING PRIMARY KEY (is_chat=? AND step=? AND id>?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1000,
      why: "Entries of the order in one step, and the channel of each: pruned by 500.",
    },
    {
      sql: "SELECT o.is_chat, o.step, o.id, NOT EXISTS ( SELECT 1 FROM channels c WHERE c.id = o.id AND c.is_chat = o.is_chat AND c.last_post_at IS o.last_post_at) AS isStale FROM last_post_order o WHERE o.is_chat = @is_chat AND o.step < @step ORDER BY o.step DESC, o.id LIMIT 500",
      plan: [
        "SEARCH o USING PRIMARY KEY (is_chat=? AND step<?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 1000,
      why: "Entries of the order in one step, and the channel of each: pruned by 500.",
    },
  ],
};
