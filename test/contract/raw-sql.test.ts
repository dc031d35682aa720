import { expect, test } from "bun:test";
import { findCallSites } from "../db/plans/call-sites.ts";

/**
 * Ordinary rows go through drizzle's tables and builders (src/db/statement.ts). Files outside src/db that run
 * SQL as text are listed here, each with what a builder cannot express there, or what it would cost.
 */

const RAW: readonly { why: string; files: readonly string[] }[] = [
  {
    why: "Queries of the catalog: pinned joins, indexes written out, lists as JSON, under a deadline.",
    files: [
      "catalog/channels/channels.store.ts",
      "catalog/channels/handles.store.ts",
      "catalog/comparison/comparison.store.ts",
      "catalog/manage/found-channels.store.ts",
      "catalog/manage/removals.store.ts",
      "catalog/mentions/mentions.store.ts",
      "catalog/mentions/neighbours.store.ts",
      "catalog/mentions/similar.store.ts",
      "catalog/metrics/metrics.store.ts",
      "catalog/posts/posts.store.ts",
      "catalog/posts/habits.store.ts",
      "catalog/search/columns/read-columns.store.ts",
      "catalog/search/describe-selection.store.ts",
      "catalog/search/find-channels.store.ts",
      "catalog/search/suggest-titles.ts",
      "catalog/sources/bots/stored-posts.store.ts",
      "catalog/statistics/statistics.store.ts",
    ],
  },
  {
    why: "Exports walk whole tables by key, row values in the order of an index, one row at a time.",
    files: ["catalog/exports/bulk-selection.ts", "catalog/imports/kinds/exported-rows.store.ts"],
  },
  {
    why: "The search index: FTS5 has commands and tables of its own, and terms come as lists in JSON.",
    files: [
      "catalog/channels/search-text.ts",
      "catalog/search/search-terms.ts",
      "catalog/post-search/catch-up.store.ts",
      "catalog/post-search/finding/matches.store.ts",
      "catalog/post-search/finding/over-time.store.ts",
      "catalog/post-search/parts.store.ts",
      "catalog/post-search/post-search-state.store.ts",
      "catalog/post-search/finding/relevance.store.ts",
      "catalog/post-search/vocabulary.store.ts",
    ],
  },
  {
    why: "Imports write thousands of rows a second in a transaction that waits for nothing.",
    files: [
      "catalog/channels/channel-records.store.ts",
      "catalog/channels/removed-channels.store.ts",
      "catalog/directory/category-images.ts",
      "catalog/directory/directory.store.ts",
      "catalog/mentions/write-mentions.ts",
      "catalog/posts/tombstones.store.ts",
    ],
  },
  {
    why: "Counts and closes the whole catalog in sets: joins over all channels, INSERT … SELECT.",
    files: [
      "catalog/directory/recount.ts",
      "catalog/trends/trends.store.ts",
      "catalog/statistics/open-days.ts",
    ],
  },
  {
    why: "Every request: 0.7 us a statement in place of 2, on the connection that serves.",
    files: ["customers/keys/keys.store.ts", "customers/limits/usage.store.ts"],
  },
  {
    why: "Usage page by page: sums under a deadline, row values in the order of the primary key.",
    files: ["customers/limits/usage-history.ts"],
  },
  {
    why: "What the console counts: a plan in force and its period, computed for each organization.",
    files: ["upkeep/checks/staff-summary.ts"],
  },
  {
    why: "Joins of posts that were read with those who watch, in an order that SQLite must not choose.",
    files: [
      "push/webhooks/alerts/match-posts.store.ts",
      "push/webhooks/events/due-work.store.ts",
      "push/webhooks/events/backlog.store.ts",
    ],
  },
  {
    why: "A node's copy: rows come and go as JSON, of tables that are all written alike.",
    files: [
      "cluster/link-to-cluster.ts",
      "cluster/shared-tables.ts",
      "cluster/copy-usage.ts",
      "cluster/link.ts",
      "cluster/sent-parts.ts",
    ],
  },
  {
    why: "The rules of tables are conditions in SQL, of tables that are all treated alike.",
    files: ["upkeep/retention/retain.ts", "upkeep/retention/old-months.ts"],
  },
  {
    why: "Organizations take turns: a window over a materialized query.",
    files: ["push/webhooks/delivery/claim-due.ts"],
  },
  {
    why: "The sample's marks: joins with the catalog's tables, which have no drizzle ones, lists as JSON.",
    files: ["catalog/sample/sample.store.ts"],
  },
  {
    why: "Lists of channels as JSON, one statement for thousands; the number of the last post read.",
    files: [
      "push/webhooks/alerts/alerts.store.ts",
      "push/webhooks/manage/watched-channels.store.ts",
      "push/webhooks/manage/webhooks.store.ts",
    ],
  },
  {
    why: "`kanalog check` reads the whole file and compares tables with each other.",
    files: [
      "upkeep/checks/channels.store.ts",
      "upkeep/checks/check.ts",
      "upkeep/checks/finding.ts",
      "upkeep/checks/post-search.store.ts",
      "upkeep/checks/search.store.ts",
    ],
  },
];

const listed = RAW.flatMap(({ files }) => files).sort();

test("exactly the files listed with a reason contain SQL as text", () => {
  const isRaw = (call: string): boolean => /^(statement\b|[\w.#]+\.(prepare|exec)\()/.test(call);
  const found = findCallSites().filter(({ file, text }) => !file.startsWith("db/") && isRaw(text));
  expect([...new Set(found.map(({ file }) => file))].sort()).toEqual(listed);
});

test("each file is listed once", () => {
  expect(listed).toEqual([...new Set(listed)]);
});
