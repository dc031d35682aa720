import { afterEach, beforeEach, expect, test } from "bun:test";
import BetterSqlite3 from "better-sqlite3";
import { countedSql, VISITED } from "./plans/counted-sql.ts";

/**
 * A table `t (id, odd)` of a hundred rows with an index on `odd`, and `u (t_id)` of ten rows without a
 * rowid.
 */
const SCHEMA = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, odd INTEGER, text TEXT);
  CREATE INDEX t_by_odd ON t (odd);
  CREATE TABLE u (t_id INTEGER PRIMARY KEY) WITHOUT ROWID;
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
    INSERT INTO t SELECT i, i % 2, 'text ' || i FROM n;
  INSERT INTO u SELECT id FROM t WHERE id <= 10;`;
const ROW_NAMES = new Map([
  ["t", "rowid"],
  ["u", "t_id"],
]);

let db: BetterSqlite3.Database;
let visited: number;
beforeEach(() => {
  db = new BetterSqlite3(":memory:");
  db.exec(SCHEMA);
  visited = 0;
  db.function(VISITED, { deterministic: false }, (_number, _row) => {
    visited += 1;
    return 1;
  });
});
afterEach(() => db.close());

/** Statements, and how many rows each visits. */
const STATEMENTS: [sql: string, rows: number][] = [
  ["SELECT count(*) AS n FROM t", 100],
  ["SELECT id FROM t WHERE id = 7", 1],
  ["SELECT id FROM t WHERE id = 700", 0],
  // Visits all rows with the index's value, because the text is only compared afterwards.
  ["SELECT id FROM t WHERE odd = 1 AND text = 'text 7'", 50],
  ["SELECT id FROM t WHERE text = 'text 7' OR text = 'text 8'", 100],
  ["SELECT id FROM t WHERE text <> '' ORDER BY id LIMIT 3", 3],
  ["select t.id from u cross join t on t.id = u.t_id where t.text like '%2'", 20],
  ["SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t_id = t.id)", 110],
  ["WITH few AS MATERIALIZED (SELECT t_id FROM u LIMIT 4) SELECT count(*) FROM few", 4],
  ["SELECT value FROM json_each('[1, 2, 3]') WHERE value > 1", 3],
  ["SELECT id FROM t WHERE id < 4 UNION ALL SELECT t_id FROM u", 13],
];

test("a counting copy returns the same rows and counts those that SQLite visits", () => {
  for (const [sql, rows] of STATEMENTS) {
    visited = 0;
    const answer = db.prepare(countedSql(sql, 1, ROW_NAMES)).all();
    expect(answer, sql).toEqual(db.prepare(sql).all());
    expect(visited, sql).toBe(rows);
  }
});

test("a counting copy of a statement that writes changes the same rows", () => {
  for (const [sql, changes, rows] of [
    ["UPDATE t SET text = 'where from' WHERE odd = 1 AND id < 10", 5, 5],
    ["UPDATE t SET text = ''", 100, 100],
    ["INSERT INTO u (t_id) SELECT id FROM t WHERE id BETWEEN 11 AND 20", 10, 10],
    ["INSERT INTO u SELECT id FROM t WHERE id < 3 ON CONFLICT DO NOTHING", 0, 2],
    ["DELETE FROM t WHERE id IN (SELECT t_id FROM u WHERE t_id < 3)", 2, 4],
    ["DELETE FROM u", 20, 20],
  ] as const) {
    visited = 0;
    expect(db.prepare(countedSql(sql, 1, ROW_NAMES)).run().changes, sql).toBe(changes);
    expect(visited, sql).toBe(rows);
  }
});
