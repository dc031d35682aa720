import { afterAll, beforeAll, expect, test } from "bun:test";
import { makeWaySql, removeSql, writeSql } from "../../src/cluster/link-to-cluster.ts";
import {
  imagesSql,
  noteChangedRows,
  OWN_TABLES,
  sharedTables,
} from "../../src/cluster/shared-tables.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";

/**
 * Tests the statements that read and write a node's copy, which are generated from each table's columns.
 */

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

test("each table is either shared by all nodes or a node's own", () => {
  const { db } = appliance.app.domains;
  const shared = new Set(sharedTables(db).map(({ name }) => name));
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table'";
  const all = db.prepare<{ name: string }>(sql).all();
  const unsorted = all.filter(({ name }) => {
    const isOfIndex = /^(channel|post)_search_/.test(name);
    return !isOfIndex && shared.has(name) === OWN_TABLES.has(name);
  });
  expect(unsorted).toEqual([]);
  expect(shared.size).toBeGreaterThan(50);
});

test("no shared table is scanned to copy, send or remove some of its rows", () => {
  const { db } = appliance.app.domains;
  const tables = sharedTables(db);
  noteChangedRows(db, tables);
  for (const table of tables) {
    const statements = [
      imagesSql(table),
      writeSql(table),
      removeSql(table),
      ...table.unique.map((group) => makeWaySql(table, group)),
    ];
    for (const sql of statements) {
      const plan = db
        .prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...(sql.includes("?") ? ["[]"] : []));
      // Recorded or given rows may be scanned; the table's own rows must be looked up.
      const walks = plan.filter(
        ({ detail }) => /^SCAN t( |$)/.test(detail) || detail === `SCAN ${table.name}`,
      );
      expect(walks, sql).toEqual([]);
    }
  }
});
