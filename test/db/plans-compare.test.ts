import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Entry, faultsOf } from "./plans/compare.ts";
import { entriesText, PLANS_FILE, readEntries, recordedEntries } from "./plans/entries.ts";
import type { Recorded } from "./plans/recorder.ts";

const STATEMENT: Recorded = {
  site: "posts/shown-posts.store.ts selectPost",
  shape: "SELECT … FROM posts WHERE id = ?",
  plan: ["SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)"],
  rows: 1,
  runs: 3,
};
const ENTRY: Entry = { sql: STATEMENT.shape, plan: STATEMENT.plan, rows: 1 };

/** The difference between a statement and an entry of its call site. */
function faults(statement: Partial<Recorded>, entry: Partial<Entry> = {}): string[] {
  const entries = { [STATEMENT.site]: [{ ...ENTRY, ...entry }] };
  return faultsOf([{ ...STATEMENT, ...statement }], entries);
}

test("a statement passes with the plan of its entry and no more rows", () => {
  expect(faults({})).toEqual([]);
  expect(faults({ rows: 0 })).toEqual([]);
  expect(faults({}, { plan: ["SEARCH posts USING *"] })).toEqual([]);
  expect(faultsOf([{ ...STATEMENT, shape: "COMMIT", plan: [] }], {})).toEqual([]);
});

test("another plan, more rows, a statement without entry and one that never ran are reported", () => {
  const scan = { plan: ["SCAN posts"] };
  expect(faults(scan)[0]).toContain("another plan");
  expect(faults({ rows: 2 })).toEqual([expect.stringContaining("visits 2 rows, not 1")]);
  expect(faults({ rows: null })).toEqual([expect.stringContaining("visits null rows")]);
  expect(faults({ shape: "SELECT 1 FROM posts" })[0]).toContain("has no entry");
  expect(faults({ runs: 0 })).toEqual([expect.stringContaining("never run")]);
});

test("an entry without a statement is reported, and one that scans or visits many rows without a reason", () => {
  expect(faultsOf([], { [STATEMENT.site]: [ENTRY] })).toEqual([
    expect.stringContaining("nothing has this entry"),
  ]);
  const scan = { plan: ["SCAN posts"] };
  expect(faults(scan, scan)).toEqual([expect.stringContaining("say why it is right")]);
  expect(faults(scan, { ...scan, why: "There are few." })).toEqual([]);
  expect(faults({}, { rows: 201 })).toEqual([expect.stringContaining("say why it is right")]);
});

test("recording keeps reasons, bounds that are close and entries for any shape, and asks for missing reasons", () => {
  const record = (statement: Partial<Recorded>, entry: Partial<Entry>) =>
    recordedEntries([{ ...STATEMENT, ...statement }], {
      [STATEMENT.site]: [{ ...ENTRY, ...entry }],
    })[STATEMENT.site];
  expect(record({ rows: 40 }, { rows: 41, why: "Few." })).toEqual([
    { ...ENTRY, rows: 41, why: "Few." },
  ]);
  expect(record({ rows: 40 }, { rows: 80 })).toEqual([{ ...ENTRY, rows: 40 }]);
  const any = { plan: ["SEARCH posts *"], rows: 1 };
  expect(recordedEntries([STATEMENT], { [STATEMENT.site]: [any] })).toEqual({
    [STATEMENT.site]: [any],
  });
  expect(record({ plan: ["SCAN posts"] }, {})).toEqual([
    { ...ENTRY, plan: ["SCAN posts"], why: "?" },
  ]);
  expect(faultsOf([], { [STATEMENT.site]: [{ ...ENTRY, rows: 201, why: "?" }] }).join()).toContain(
    "say why it is right",
  );
});

test("the recorded plans are written as they were read", () => {
  expect(entriesText(readEntries())).toBe(readFileSync(PLANS_FILE, "utf8"));
});
