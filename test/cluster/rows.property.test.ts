import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sharedTables } from "../../src/cluster/shared-tables.ts";
import { type Database, statement, type Transaction } from "../../src/db/database.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { type Cluster, expectSameRows, type Node, startCluster } from "../support/cluster.ts";
import { hasPostgres } from "../support/postgres.ts";

/**
 * Shared rows arrive unchanged, whatever statement wrote them: random statements of every kind (new rows,
 * changes, swaps of unique values, removals with their dependent rows) on random nodes.
 */

let cluster: Cluster;
beforeEach(async () => {
  if (hasPostgres) cluster = await startCluster();
});
afterEach(() => cluster?.close(false));

interface Described {
  name: string;
  type: string;
  notnull: 0 | 1;
  pk: number;
}

/**
 * Values that are easily damaged on the way: 64-bit integers, reals, blobs, empty values, characters of
 * JSON and SQL syntax.
 */
const integers = fc.oneof(
  fc.integer({ min: 0, max: 5 }).map(BigInt),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
);
const reals = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.1, 1e-300, 1.7976931348623157e308, 5e-324, 1 / 3, -0.5),
);
const texts = fc.oneof(
  fc
    .string({ unit: "binary", maxLength: 12 })
    .filter((text) => text.isWellFormed() && !text.includes("\0")),
  fc.constantFrom("", "null", "'\"\\", "ёЁ\u2028", "🙂", "{}", "%00", "\u0001\u001f\r\n\t"),
);
const blobs = fc
  .oneof(fc.uint8Array({ maxLength: 12 }), fc.constant(new Uint8Array()))
  .map((bytes) => Buffer.from(bytes));

function given({ type, notnull }: Described): fc.Arbitrary<unknown> {
  const value: fc.Arbitrary<unknown> =
    type === "INTEGER" ? integers : type === "REAL" ? reals : type === "BLOB" ? blobs : texts;
  return notnull === 1 ? value : fc.option(value, { freq: 3 });
}

interface Change {
  node: number;
  table: string;
  verb: "insert" | "replace" | "update" | "delete";
  values: Record<string, unknown>;
  /** Which of the existing rows it applies to, modulo their number. */
  at: number;
}

/** Changes of all shared tables; a new appliance has some hundred rows in them. */
function changesOf(db: Database): fc.Arbitrary<Change> {
  const tables = sharedTables(db).map(({ name }) => {
    const columns = db
      .pragma<Described & { hidden: number }>(`table_xinfo(${name})`)
      .filter(({ hidden }) => hidden === 0);
    return fc.record({
      node: fc.nat(1),
      table: fc.constant(name),
      verb: fc.constantFrom("insert", "insert", "replace", "update", "delete") as fc.Arbitrary<
        Change["verb"]
      >,
      values: fc.record(
        Object.fromEntries(columns.map((column) => [column.name, given(column)])),
      ) as fc.Arbitrary<Record<string, unknown>>,
      at: fc.nat(1000),
    });
  });
  return fc.oneof(...tables);
}

/** Makes a change, unless a rule of the schema refuses it. @returns whether it was made */
function change(tx: Transaction, { table, verb, values, at }: Change): boolean {
  const names = Object.keys(values);
  const row = `rowid = (SELECT rowid FROM ${table} ORDER BY rowid LIMIT 1 OFFSET ? % max(1, (SELECT count(*) FROM ${table})))`;
  const isKeyed = isWithoutRowid(tx, table);
  try {
    statement(tx, "SAVEPOINT change").run();
    if (verb === "insert" || verb === "replace") {
      // A row that makes way for another's unique column is deleted without its triggers; no statement of ours
      // replaces rows of such a table.
      const hasUnique = sharedTables(tx).some(
        ({ name, unique }) => name === table && unique.length > 0,
      );
      const or = verb === "replace" && !hasUnique ? "OR REPLACE " : "";
      tx.prepare(
        `INSERT ${or}INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ).run(...Object.values(values));
    } else if (isKeyed) {
      if (verb === "delete")
        tx.prepare(`DELETE FROM ${table} WHERE ${names[0]} = ?`).run(values[names[0] as string]);
    } else if (verb === "delete") {
      tx.prepare(`DELETE FROM ${table} WHERE ${row}`).run(at);
    } else {
      const name = names[at % names.length] as string;
      tx.prepare(`UPDATE ${table} SET ${name} = ? WHERE ${row}`).run(values[name], at);
    }
    statement(tx, "RELEASE change").run();
    return true;
  } catch {
    statement(tx, "ROLLBACK TO change").run();
    statement(tx, "RELEASE change").run();
    return false;
  }
}

function isWithoutRowid(db: Database, table: string): boolean {
  return (
    db.pragma<{ name: string; wr: 0 | 1 }>("table_list").find(({ name }) => name === table)?.wr ===
    1
  );
}

describe.skipIf(!hasPostgres)("shared rows", () => {
  test("are the same on both nodes after any changes on either", async () => {
    const [one, other] = cluster.nodes as [Node, Node];
    const tables = new Set<string>();
    // No shrinking: the first failure is clear enough, and each run continues with the rows of the one
    // before.
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(changesOf(one.db), { minLength: 1, maxLength: 40, size: "max" }), {
          maxLength: 4,
          size: "max",
        }),
        async (commits) => {
          for (const [at, changes] of commits.entries()) {
            const { db } = cluster.nodes[at % 2] as Node;
            await inTransaction(db, cluster.ports.clock, "test", (tx) => {
              for (const one of changes) if (change(tx, one)) tables.add(one.table);
            });
          }
          await cluster.copyAll();
          expectSameRows(one.db, other.db);
        },
      ),
      { numRuns: 60, endOnFailure: true },
    );
    expect([...tables].toSorted()).toEqual(sharedTables(one.db).map(({ name }) => name));
  });
});
