import { afterEach, beforeEach, expect, test } from "bun:test";
import { type PostSelection, selectPosts } from "../../src/catalog/posts/posts.store.ts";
import { selectDailyStatistics } from "../../src/catalog/statistics/statistics.store.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { FRESH_MS } from "../../src/push/webhooks/events/cut-events.ts";
import { fakeClock } from "../support/fake-ports.ts";

const clock = fakeClock("2026-11-20T12:00:00+03:00");
let db: Database;
beforeEach(async () => {
  db = openDatabase(":memory:", clock);
  await migrate(db, clock);
});
afterEach(() => db.close());

test("statistics are stored by channel and day, without a rowid", () => {
  expect(() => db.prepare("SELECT rowid FROM daily_statistics")).toThrow("rowid");
});

/** Plans of the statements that a query runs, intercepted on their way to the driver. */
function plansOf(run: () => unknown): string[] {
  const sqls: string[] = [];
  const { prepare } = db;
  db.prepare = ((sql: string) => {
    sqls.push(sql);
    return prepare.call(db, sql);
  }) as typeof prepare;
  try {
    run();
  } finally {
    db.prepare = prepare;
  }
  return sqls.map((sql) =>
    (
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array.from({ length: (sql.match(/\?/g) ?? []).length }, () => 1)) as {
        detail: string;
      }[]
    )
      .map(({ detail }) => detail)
      .join("\n"),
  );
}

const whole: PostSelection = {
  ...{ channelId: 1, fromMs: null, untilMs: null, isAd: null, after: null, limit: 50 },
};

for (const isAd of [null, true, false]) {
  for (const fromMs of [null, 1]) {
    for (const untilMs of [null, 2]) {
      for (const after of [null, [1, 2] as const]) {
        const selection = { ...whole, isAd, fromMs, untilMs, after };
        const given = Object.entries({ isAd, fromMs, untilMs, after })
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `${name} ${value}`);
        test(`posts are found by channel and time without a sort: ${given.join(", ") || "all"}`, () => {
          const plans = plansOf(() => selectPosts(db, selection));
          // The last statement reads the posts of the page, whose ids the others have found.
          expect(plans.pop()).toContain("SEARCH p USING INTEGER PRIMARY KEY");
          // After a cursor: posts of the same instant, then those before it.
          expect(plans).toHaveLength(after === null ? 1 : 2);
          for (const plan of plans) {
            // No index contains that a post is not advertising.
            const index = isAd === false ? "INDEX" : "COVERING INDEX";
            expect(plan).toMatch(new RegExp(`SEARCH p USING ${index} posts_(ads_)?by_time`));
            expect(plan).not.toContain("TEMP B-TREE");
            expect(plan).not.toContain("SCAN");
            // The bounds of time and cursor are also applied by the index.
            if (fromMs !== null || untilMs !== null || after !== null) {
              expect(plan).toContain("published_at");
            }
          }
          if (after !== null) expect(plans[0]).toContain("published_at=? AND id<?");
        });
      }
    }
  }
}

test("advertising posts have an index of their own", () => {
  const [plan] = plansOf(() => selectPosts(db, { ...whole, isAd: true }));
  expect(plan).toContain("posts_ads_by_time");
});

test("a channel's days are found by the primary key without a sort", () => {
  const plans = plansOf(() => selectDailyStatistics(db, { channelIds: [1, 2], from: 1, to: 2 }));
  const days = plans.find((plan) => plan.includes("SEARCH s"));
  expect(days).toMatch(/SEARCH s USING PRIMARY KEY \(channel_id=\? AND day>\? AND day<\?\)/);
  for (const plan of plans) {
    expect(plan).not.toContain("TEMP B-TREE");
    expect(plan).not.toContain("SCAN");
  }
});

test("the trigger that records posts for webhooks skips only posts that are too old to be sent", () => {
  const trigger = "SELECT sql FROM sqlite_schema WHERE name = 'posts_read'";
  const { sql } = db.prepare<{ sql: string }>(trigger).get() ?? { sql: "" };
  const age = /new\.published_at >= new\.read_at - ([\d* ]+)/.exec(sql)?.[1];
  expect(db.prepare(`SELECT ${age} AS ms`).get()).toEqual({ ms: FRESH_MS });
});
