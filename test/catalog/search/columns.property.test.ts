import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChannelRecord } from "../../../src/catalog/channels/card.ts";
import { createChannelRecords } from "../../../src/catalog/channels/channel-records.store.ts";
import { facet } from "../../../src/catalog/channels/search-text.ts";
import {
  CATALOG_ORDERINGS,
  type CatalogFilter,
  NO_FILTER,
} from "../../../src/catalog/search/catalog.ts";
import {
  createSharedColumns,
  useColumns,
} from "../../../src/catalog/search/columns/read-columns.store.ts";
import { describeSelection } from "../../../src/catalog/search/describe-selection.store.ts";
import { findChannels } from "../../../src/catalog/search/find-channels.store.ts";
import type { Database } from "../../../src/db/database.ts";
import { withQueryDeadline } from "../../../src/db/deadline.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { inReadTransaction } from "../../../src/db/read-transaction.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { createMachine, type Machine } from "../../support/machine.ts";

/*
 * The catalog's columns follow the file: whatever is committed, a connection that has followed from the start finds
 * what one finds that reads everything anew.
 */

let machine: Machine;
let writer: Database;
const readers: Database[] = [];
beforeEach(async () => {
  machine = createMachine();
  writer = openDatabase(machine.database, systemClock);
  await migrate(writer, systemClock);
  writer.exec(`
    INSERT INTO categories (id, slug, name, position) VALUES (1, 'news', '', 1), (70, 'art', '', 2);
    INSERT INTO territories (id, slug, name, kind, path, position)
    VALUES (5, 'ru', '', 'country', 'ru', 1), (6, 'ru-x', '', 'country', 'ru-x', 2),
      (7, 'city', '', 'city', 'ru/city', 3)`);
});
afterEach(() => {
  for (const db of [writer, ...readers.splice(0)]) db.close();
  return machine.leave();
});

function reader(): Database {
  const db = openDatabase(machine.database, systemClock, "reader");
  readers.push(db);
  return db;
}

/** Small numbers, and some that are no positions of a table. */
const IDS = [1, 2, 3, 4, 6_000_000, 6_000_001, 2 ** 52];

const record = fc.record({
  id: fc.constantFrom(...IDS),
  title: fc.constantFrom("Новости", "Новый чат", "Погода"),
  kind: fc.constantFrom("channel", "channel", "chat"),
  is_public: fc.constantFrom(1, 1, 1, 0),
  subscribers: fc.constantFrom(0, 5, 5, 70),
  quality: fc.constantFrom(null, 0, 1.5, -2),
  citation: fc.constantFrom(null, 3),
  last_post_at: fc.constantFrom(null, 1_700_000_000_000),
  category: fc.constantFrom(null, "news", "art"),
  categories: fc.constantFrom("", "art"),
  territory: fc.constantFrom(null, "ru", "ru-x", "city"),
  a_plus: fc.constantFrom(0, 1),
  verified: fc.constantFrom(0, 1),
});
type Given = typeof record extends fc.Arbitrary<infer Value> ? Value : never;

type Step =
  | { does: "put"; given: Given }
  | { does: "refresh" | "delete"; id: number; subscribers: number }
  | { does: "metrics"; id: number; growth: number | null; fresh: number }
  | { does: "look" | "forget changes" };

const id = fc.constantFrom(...IDS);
const subscribers = fc.constantFrom(0, 5, 1_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: record.map((given) => ({ does: "put" as const, given })) },
  fc.record({ does: fc.constantFrom("refresh", "delete"), id, subscribers }),
  fc.record({
    does: fc.constant("metrics" as const),
    id,
    growth: fc.constantFrom(null, -3, 8),
    fresh: fc.constantFrom(0, 1),
  }),
  fc.record({ does: fc.constantFrom("look", "look", "forget changes") }),
);

const EMPTY = { msgr_id: null, handle: null, description: null, link: null, image: null };

function put(given: Given): void {
  const records = createChannelRecords(writer, systemClock);
  const stored = records.byId(given.id);
  const whole = { ...EMPTY, subscribers_at: null, former_handles: "", ...given };
  if (stored === undefined) records.insert(whole as ChannelRecord);
  else records.update(whole as ChannelRecord, stored);
  records.writeSearch();
}

async function take(one: Step): Promise<void> {
  await inTransaction(writer, systemClock, "test", () => {
    if (one.does === "put") put(one.given);
    else if (one.does === "refresh") {
      const refresh = "UPDATE channels SET subscribers = ? WHERE id = ?";
      writer.prepare(refresh).run(one.subscribers, one.id);
    } else if (one.does === "delete") {
      const records = createChannelRecords(writer, systemClock);
      const stored = records.byId(one.id);
      if (stored !== undefined) records.remove(stored);
      records.writeSearch();
      writer.prepare("DELETE FROM channels WHERE id = ?").run(one.id);
    } else if (one.does === "metrics") {
      writer.exec("UPDATE metrics_read SET slot = 1 - slot, published = published + 1");
      const row = `INSERT OR REPLACE INTO channel_metrics
          (slot, id, is_chat, is_small, is_fresh, growth_30d, err_30d)
        SELECT slot, id, is_chat, 0, ?, ?, 7 FROM metrics_read, channels WHERE id = ?`;
      writer.prepare(row).run(one.fresh, one.growth, one.id);
    } else if (one.does === "forget changes") {
      writer.exec(
        "DELETE FROM channel_changes WHERE version < (SELECT max(version) FROM channel_changes)",
      );
    }
  });
}

const FILTERS: Partial<CatalogFilter>[] = [
  {},
  { kind: "chat" },
  { categoryId: 70, verified: false },
  { territoryId: 5, aPlus: true },
  { text: "нов", subscribersMin: 1, subscribersMax: 500 },
  { metricsMin: { growth_30d: -5 } },
];

/** Everything that a connection finds. */
function seen(db: Database): unknown[] {
  return inReadTransaction(db, () =>
    FILTERS.flatMap((given) => {
      const filter = { ...NO_FILTER, ...given };
      const pages = CATALOG_ORDERINGS.map((ordering) =>
        findChannels(db, { filter, ordering, after: null, limit: 4 }),
      );
      return [...pages, describeSelection(db, filter)];
    }),
  );
}

test("whatever is committed, connections that share columns find what is found by reading all anew", async () => {
  const columns = createSharedColumns(writer)();
  const following = [reader(), reader()];
  for (const db of following) useColumns(db, columns);
  await asTimeAllows(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const one of steps) {
        await take(one);
        if (one.does === "look") seen(following[0] as Database);
      }
      const anew = openDatabase(machine.database, systemClock, "reader");
      try {
        const expected = seen(anew);
        for (const db of following) expect(seen(db)).toEqual(expected);
      } finally {
        anew.close();
      }
    }),
    60,
  );
});

test("a channel that gets the number of a deleted one has none of its metrics", async () => {
  const db = reader();
  const growing = () =>
    inReadTransaction(db, () =>
      findChannels(db, {
        ...{ filter: NO_FILTER, ordering: "-growth_30d", after: null, limit: 10 },
      }).map((found) => found.id),
    );
  const [given] = fc.sample(record, 1) as [Given];
  const channel = { ...given, id: 3, kind: "channel", is_public: 1 } as const;
  const metrics = { does: "metrics", id: 3, growth: 8, fresh: 1 } as const;
  for (const forgets of [false, true]) {
    await take({ does: "put", given: channel });
    await take(metrics);
    expect(growing()).toEqual([3]);
    await take({ does: "delete", id: 3, subscribers: 0 });
    await take({ does: "put", given: channel });
    if (forgets) await take({ does: "forget changes" });
    expect(growing()).toEqual([]);
  }
});

test("a catalog that outgrows a connection's memory is read into a larger one", async () => {
  const db = reader();
  const all = () =>
    findChannels(db, { filter: NO_FILTER, ordering: "-subscribers", after: null, limit: 6_000 });
  expect(all()).toEqual([]);
  await addMany(10_000_000, 5_000);
  expect(all()).toHaveLength(5_000);
});

test("threads that start share larger columns once the catalog has outgrown the ones before", async () => {
  const shared = createSharedColumns(writer);
  const db = reader();
  const first = shared();
  useColumns(db, first);
  const of = (on: Database, categoryId: number) =>
    findChannels(on, {
      ...{ filter: { ...NO_FILTER, categoryId }, ordering: "-subscribers", after: null, limit: 5 },
    }).map((found) => found.id);
  expect(of(db, 1)).toEqual([]);
  expect(shared()).toBe(first);
  await addMany(1, 300);
  const belong = writer.prepare("UPDATE channel_texts SET facets = ? WHERE id = ?");
  const enter = writer.prepare(
    "INSERT INTO categories (id, slug, name, position) VALUES (?, 'c' || ?, '', 9)",
  );
  for (let at = 1; at <= 300; at++) {
    belong.run(facet("category", 100 + at), at);
    enter.run(100 + at, at);
  }
  // More categories than the first columns have room for.
  expect(of(db, 400)).toEqual([300]);
  expect(shared()).not.toBe(first);
  const next = reader();
  useColumns(next, shared());
  expect([of(next, 400), of(next, 101)]).toEqual([[300], [1]]);
});

test("a transaction that began before a number was given again brings back none of its metrics", async () => {
  const columns = createSharedColumns(writer)();
  const [old, current] = [reader(), reader()];
  for (const db of [old, current]) useColumns(db, columns);
  const [given] = fc.sample(record, 1) as [Given];
  const channel = { ...given, id: 3, kind: "channel", is_public: 1 } as const;
  const growing = (db: Database) =>
    findChannels(db, {
      ...{ filter: NO_FILTER, ordering: "-growth_30d", after: null, limit: 10 },
    }).map((found) => found.id);
  await take({ does: "put", given: channel });
  await take({ does: "metrics", id: 3, growth: 8, fresh: 1 });
  old.exec("BEGIN");
  expect(old.prepare("SELECT id FROM channels").all()).toHaveLength(1);
  await take({ does: "delete", id: 3, subscribers: 0 });
  await take({ does: "put", given: channel });
  seen(current);
  growing(old);
  old.exec("COMMIT");
  expect(growing(current)).toEqual([]);
});

test("columns that cannot be read within a query's time are read on by the next one", async () => {
  await addMany(1, 17_000);
  const db = reader();
  const all = (ordering: "-quality" | "-growth_30d") =>
    withQueryDeadline(db, systemClock.monotonic() - 1, () =>
      findChannels(db, { filter: NO_FILTER, ordering, after: null, limit: 20_000 }),
    );
  const expectAtTheFourth = (ordering: Parameters<typeof all>[0]): void => {
    for (let attempts = 0; attempts < 3; attempts++) expect(() => all(ordering)).toThrow();
    expect(all(ordering)).toHaveLength(17_000);
  };
  expectAtTheFourth("-quality");
  // Changes since, and metrics.
  writer.exec(`UPDATE channels SET subscribers = subscribers + 1;
    INSERT INTO channel_metrics (slot, id, is_chat, is_small, is_fresh) SELECT 0, id, 0, 0, 1 FROM channels`);
  expectAtTheFourth("-quality");
  expectAtTheFourth("-growth_30d");
});

async function addMany(first: number, count: number): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n LIMIT ${count})`;
  await inTransaction(writer, systemClock, "test", () =>
    writer.exec(`
      ${numbers} INSERT INTO channels (id, kind, is_public, subscribers) SELECT i, 'channel', 1, i FROM n;
      ${numbers} INSERT INTO channel_texts (id, search_text, facets) SELECT i, '', '' FROM n`),
  );
}
