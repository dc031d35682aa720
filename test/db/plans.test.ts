import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { IN_MEMORY, openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { faultsOf } from "./plans/compare.ts";
import { entriesText, PLANS_FILE, readEntries, recordedEntries } from "./plans/entries.ts";
import { exerciseAll } from "./plans/exercise.ts";
import { isOutside } from "./plans/outside.ts";
import { planOf, type Recorder } from "./plans/recorder.ts";

/*
 * The plan of every statement is recorded in plans/plans.txt, and how many rows it visits on a database at
 * the limits of the plans. A new statement needs two things: plans/exercises must run it, and `bun run
 * plans` records it. Read the difference; where a reason is `?`, write why so many rows are right.
 */
const WRITES = process.env["KANALOG_TEST_WRITE_PLANS"] === "1";

let recorder: Recorder;
beforeAll(async () => {
  recorder = await exerciseAll();
  if (WRITES) {
    const entries = recordedEntries(recorder.statements, readEntries());
    writeFileSync(PLANS_FILE, entriesText(entries));
  }
}, 300_000);

test("every place in src that prepares a statement is run at the limits of the plans", () => {
  const idle = recorder
    .idleSites()
    .filter(({ name }) => !isOutside(name))
    .map(({ file, lines, text }) => `${file}:${lines[0]} ${text}`);
  expect(idle).toEqual([]);
});

test("every statement is prepared by a call that can be found in src", () => {
  expect([...recorder.strays]).toEqual([]);
});

test("every statement has the plan of its entry and visits no more rows", () => {
  expect(faultsOf(recorder.statements, readEntries())).toEqual([]);
});

/** A channel is recorded if it has posts and post search is on. */
const STALE_CHANNEL = [
  "SCAN CONSTANT ROW",
  "SEARCH posts EXISTS USING COVERING INDEX posts_by_messenger_id (channel_id=?)",
  "SCALAR SUBQUERY 1",
  "  SCAN post_search_state",
];

/** Plans of the triggers' statements, which the plan of the statement that fires them does not contain. */
const TRIGGERS = {
  channel_changes_kept: ["SEARCH channel_changes USING INTEGER PRIMARY KEY (rowid<?)"],
  channel_metrics_removed: ["SEARCH channel_metrics USING PRIMARY KEY (slot=? AND id=?)"],
  channel_texts_added: [],
  channel_texts_changed: [],
  channel_texts_removed: [],
  channels_changed: [],
  channels_deleted: [],
  keys_changed: ["SCAN accounts_version"],
  members_changed: ["SCAN accounts_version"],
  organizations_changed: ["SCAN accounts_version"],
  plans_added: ["SCAN accounts_version"],
  plans_changed: ["SCAN accounts_version"],
  post_search_channel_gone: ["SEARCH post_search_stale USING INTEGER PRIMARY KEY (rowid=?)"],
  post_search_facets: STALE_CHANNEL,
  post_search_post_gone: [
    "SEARCH searched_posts USING INDEX sqlite_autoindex_searched_posts_1 (post_id=?)",
  ],
  post_search_public: STALE_CHANNEL,
  post_tombstones_added: ["SCAN post_numbers"],
  posts_moved_mentions: [
    "SCAN CONSTANT ROW",
    "SEARCH mentions USING INDEX mentions_by_post (channel_id=? AND published_at=? AND post_id=?)",
  ],
  posts_read: [
    "SEARCH webhook_channels EXISTS USING PRIMARY KEY (channel_id=?)",
    "SCALAR SUBQUERY 2",
    "  SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid=?)",
  ],
  alert_changes_kept: ["SEARCH alert_changes USING INTEGER PRIMARY KEY (rowid<?)"],
  alerts_added: [],
  alerts_changed: [],
  alerts_removed: [],
  alert_webhooks_switched: [
    "SCAN CONSTANT ROW",
    "SEARCH alerts USING COVERING INDEX alerts_by_webhook (webhook_id=?)",
  ],
  posts_read_by_alerts: [
    // Any row will do, so the first is taken.
    "SCAN alerts EXISTS USING COVERING INDEX alerts_by_webhook",
    "SCALAR SUBQUERY 2",
    "  SEARCH post_tombstones USING INTEGER PRIMARY KEY (rowid=?)",
  ],
  posts_removed: [
    "SEARCH read_posts USING COVERING INDEX read_posts_by_post (post_id=?)",
    "SCAN post_numbers",
  ],
  posts_removed_from_alerts: [
    "SEARCH alert_posts USING COVERING INDEX alert_posts_by_post (post_id=?)",
  ],
  public_cards_added: ["SCAN cards_version"],
  public_cards_changed: ["SCAN cards_version"],
  public_cards_removed: ["SCAN cards_version"],
  posts_removed_mentions: [
    "SEARCH mentions USING INDEX mentions_by_post (channel_id=? AND published_at=? AND post_id=?)",
  ],
};

test("statements of triggers find their rows by an index, or in a table of one row", async () => {
  const client = new BetterSqlite3(IN_MEMORY);
  const db = new Database(client, systemClock);
  await migrate(db, systemClock);
  const triggers = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    .all() as { name: string; sql: string }[];
  const plans = triggers.map(({ name, sql }) => {
    const [, when = "", body = ""] = /(?:\bWHEN\b(.*?))?\bBEGIN\b(.*)\bEND\b/s.exec(sql) ?? [];
    const statements = [...(when === "" ? [] : [`SELECT 1 WHERE ${when}`]), ...body.split(";")];
    const lines = statements
      .filter((statement) => statement.trim() !== "")
      .flatMap((statement) => planOf(client, statement.replace(/\b(?:new|old)\.\w+/g, "?")));
    return [name, lines];
  });
  expect(Object.fromEntries(plans)).toEqual(TRIGGERS);
  db.close();
});

/** Foreign keys without an index of their own: rows of their parent table are never removed. */
const NEVER_REMOVED = ["organizations.plan → plans"];

test("when a row is removed, the rows that refer to it are found by an index", async () => {
  const db = openDatabase(IN_MEMORY, systemClock);
  await migrate(db, systemClock);
  const unindexed = db
    .prepare(
      `SELECT t.name || '.' || f."from" || ' → ' || f."table"
       FROM pragma_table_list t, pragma_foreign_key_list(t.name) f
       WHERE NOT EXISTS (
         SELECT 1 FROM pragma_index_list(t.name) l, pragma_index_info(l.name) i
         WHERE i.seqno = 0 AND i.name = f."from" AND NOT l.partial)
       AND NOT EXISTS (
         SELECT 1 FROM pragma_table_info(t.name) c WHERE c.pk = 1 AND c.name = f."from")`,
    )
    .raw()
    .all()
    .flat();
  expect(unindexed.sort()).toEqual(NEVER_REMOVED);
  db.close();
});
