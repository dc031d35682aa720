import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "../../../src/db/database.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { type CheckResult, checkDatabase } from "../../../src/upkeep/checks/check.ts";
import { startAppliance } from "../../support/appliance.ts";
import { channel } from "../../support/expectations.ts";
import { fakeClock } from "../../support/fake-ports.ts";
import { createMachine, type Machine } from "../../support/machine.ts";

const clock = fakeClock("2026-11-20T12:00:00+03:00");
/** A database that the program wrote; each test gets a copy. */
let template: Machine;
let made: Database;
let machine: Machine;
let db: Database;
beforeAll(async () => {
  template = createMachine();
  const appliance = await startAppliance({ KANALOG_DB: template.database });
  await appliance.importRows("channels", [
    channel(1, { title: "Новости Москвы", territory: "moskva", category: "news" }),
    channel(2, { title: "Emoji 🦊🦊 and more", handle: "fox" }),
    channel(3, { title: "Hidden", is_public: false }),
  ]);
  const { key } = await appliance.customer();
  await appliance.get("/v1/msgr/channels/1/", key);
  await appliance.close();
  made = openDatabase(template.database, clock);
});
beforeEach(() => {
  machine = createMachine();
  made.copyTo(machine.database);
  db = openDatabase(machine.database, clock);
});
afterEach(async () => {
  db.close();
  await machine.leave();
});
afterAll(async () => {
  made.close();
  await template.leave();
});

/** Faults by the check that found them. */
function faults(): Record<string, string[]> {
  const reader = openDatabase(machine.database, clock, "reader");
  const results: CheckResult[] = [];
  checkDatabase(reader, (result) => results.push(result));
  reader.close();
  const wrong = results.filter((result) => result.faults.length > 0);
  return Object.fromEntries(wrong.map((result) => [result.name, result.faults]));
}

test("what the program wrote has no faults", () => {
  expect(faults()).toEqual({});
});

test("an index that differs from the table in one trigram of one text is reported", () => {
  // Of the same length as before, so that only the trigrams differ.
  db.exec(`
    UPDATE channel_texts SET search_text = replace(search_text, 'москвы', 'москва') WHERE id = 1`);
  expect(faults()).toEqual({
    channels: ["Public channels that search has with other texts, categories or marks: 1."],
    "search index": [
      expect.stringMatching(/^Pieces of text that the index has for other channels: \d+, such as /),
      expect.stringMatching(/^Pieces of text that the index does not have: \d+, such as /),
    ],
  });
});

test("texts that two channels have swapped are reported", () => {
  db.exec(`
    CREATE TEMP TABLE texts AS SELECT id, search_text FROM channel_texts WHERE id IN (1, 2);
    UPDATE channel_texts SET search_text = (SELECT search_text FROM texts WHERE texts.id = 3 - channel_texts.id)
    WHERE id IN (1, 2)`);
  expect(Object.keys(faults())).toEqual(["channels", "search index"]);
});

test("channels missing in the index, and those too many in it, are named", () => {
  db.exec(`
    DELETE FROM channel_search WHERE rowid = 2;
    INSERT INTO channel_search (rowid, search_text) VALUES (3, 'hidden')`);
  expect(faults()["search index"]).toEqual(
    expect.arrayContaining([
      "Public channels that are not in the index: 2.",
      "Channels in the index that are not public: 3.",
    ]),
  );
});

test("a broken structure of the index is reported", () => {
  const file = new BetterSqlite3(machine.database);
  // Otherwise SQLite protects these tables.
  file.unsafeMode(true);
  file.exec("DELETE FROM channel_search_data WHERE id > 10");
  file.close();
  expect(Object.keys(faults())).toContain("file");
});

const CASES: [what: string, sql: string, check: string, sentence: string][] = [
  ["a unit that is missing by day", "UPDATE usage_periods SET used = used + 1", "usage", "fewer"],
  ["a unit that is missing by period", "UPDATE usage_days SET units = units + 1", "usage", "more"],
  ["a channel without its card", "DELETE FROM channel_cards WHERE id = 3", "channels", "card: 3"],
  ["a public channel that is not shown", "DELETE FROM public_cards", "channels", "stored: 1"],
  ["a card that is not JSON", "UPDATE public_cards SET json = '{'", "channels", "stored: 1, 2."],
  [
    "a card shown otherwise than stored",
    "UPDATE channel_cards SET title = 'Другой' WHERE id = 1",
    "channels",
    "stored: 1.",
  ],
  [
    "a channel that filters find by another's categories",
    "UPDATE channel_texts SET facets = (SELECT facets FROM channel_texts WHERE id = 2) WHERE id = 1",
    "channels",
    "categories or marks: 1.",
  ],
  [
    "a channel that is shown without being public",
    `DELETE FROM channel_search WHERE rowid = 1;
     UPDATE channels SET is_public = 0 WHERE id = 1`,
    "channels",
    "not public: 1",
  ],
  [
    "a channel's missing category",
    "UPDATE channel_cards SET category = 'gone' WHERE id = 1",
    "channels",
    "directory: gone",
  ],
  [
    "a territory's path that contradicts the tree",
    "UPDATE territories SET path = 'biryuch' WHERE slug = 'biryuch'",
    "directories",
    "code: biryuch",
  ],
  [
    "a country that counts fewer than its cities",
    "UPDATE territories SET channels = 7 WHERE slug = 'moskva'",
    "directories",
    "count less",
  ],
];

for (const [what, sql, check, sentence] of CASES) {
  test(`${what} is reported`, () => {
    db.pragma("foreign_keys = OFF");
    db.exec(sql);
    const { [check]: found, ...others } = faults();
    expect(found?.join()).toContain(sentence);
    expect(others).toEqual({});
  });
}

const WEBHOOK = `
  INSERT INTO webhooks (id, organization_id, url, secret, disabled_reason, since_sequence,
    created_at, updated_at) VALUES (1, 1, 'https://example.com/', x'00', '', 0, 0, 0);
  INSERT INTO webhook_lists VALUES (1, '[1]');
  INSERT INTO webhook_channels VALUES (1, 1, 0);
  INSERT INTO webhook_deliveries (id, webhook_id, event, posts, created_at, state, next_attempt_at)
    VALUES (1, 1, 'post.created', '[1,2]', 0, 'pending', 0);
  INSERT INTO webhook_bodies VALUES (1, '{}');`;

const WEBHOOK_CASES: [what: string, sql: string, sentence: string][] = [
  [
    "a list of other channels",
    "UPDATE webhook_lists SET channels = '[2]'",
    "is not what they watch: 1",
  ],
  [
    "a list of too many channels",
    "UPDATE webhook_lists SET channels = '[1,2]'",
    "is not what they watch: 1",
  ],
  ["a delivery that is never due", "UPDATE webhook_deliveries SET next_attempt_at = NULL", "time"],
  [
    "a delivery that has ended and is due",
    "UPDATE webhook_deliveries SET state = 'failed'",
    "ended",
  ],
  ["a delivery without a body", "DELETE FROM webhook_bodies", "without a body: 1"],
  ["a half claim", "UPDATE webhook_deliveries SET claim = 'c'", "by half: 1"],
  ["an invalid list of posts", "UPDATE webhook_deliveries SET posts = '[1'", "cannot be read: 1"],
  [
    "a post that is sent twice",
    `INSERT INTO webhook_deliveries (webhook_id, event, posts, created_at, state)
     VALUES (1, 'post.created', '[2,3]', 0, 'delivered')`,
    "twice: webhook 1 post 2",
  ],
  [
    "a position after all posts that were read",
    "UPDATE webhooks SET since_sequence = 5",
    "not read yet: 1",
  ],
];

test("a webhook with a pending delivery has no faults", () => {
  db.exec(WEBHOOK);
  expect(faults()).toEqual({});
});

for (const [what, sql, sentence] of WEBHOOK_CASES) {
  test(`webhooks: ${what} is reported`, () => {
    db.exec(WEBHOOK + sql);
    const { webhooks, ...others } = faults();
    expect(webhooks?.join()).toContain(sentence);
    expect(others).toEqual({});
  });
}
