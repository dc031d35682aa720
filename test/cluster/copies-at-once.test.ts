import { afterEach, beforeEach, expect, test } from "bun:test";
import { derivedRows } from "../../src/catalog/derived-rows.ts";
import { copyFromCluster } from "../../src/cluster/cluster-transaction.ts";
import { copiedVersion, requireCluster } from "../../src/cluster/link.ts";
import { linkToCluster } from "../../src/cluster/link-to-cluster.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import { expectSameRows } from "../support/cluster.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";

let machine: Machine;
let url: string;
let opened: Database[];
beforeEach(async () => {
  if (!hasPostgres) return;
  machine = createMachine();
  opened = [];
  url = await newPostgresDatabase();
  await ok(["org", "create", "--name", "Acme", "--plan", "profi"], {});
  await ok(["cluster", "init", "--from", machine.database], settings("a"));
  const ofSecond = { ...settings("b"), KANALOG_DB: machine.path("b.db") };
  await ok(["cluster", "join"], ofSecond);
});
afterEach(async () => {
  for (const db of opened ?? []) db.close();
  await machine?.leave();
});

const settings = (name: string) => ({
  ...{ KANALOG_CLUSTER: url, KANALOG_NODE: name },
  KANALOG_SECRET: "the secret of both nodes of this cluster",
});

async function ok(words: string[], environment: Record<string, string>): Promise<void> {
  const { exitCode, notes } = await machine.run(words, { environment });
  expect(exitCode, notes).toBe(0);
}

function open(path: string, isLinked = true): Database {
  const db = openDatabase(path, systemClock);
  opened.push(db);
  if (isLinked) linkToCluster(db, { url, node: path }, "test", derivedRows);
  return db;
}

/** A clock whose waits end when the test calls `go`; `waits` settles at the first one. */
function gatedClock(): { clock: Clock; waits: Promise<void>; go(): void } {
  const { promise: waits, resolve: begin } = Promise.withResolvers<void>();
  const { promise: over, resolve: go } = Promise.withResolvers<void>();
  const sleep = async (): Promise<void> => {
    begin();
    await over;
    await systemClock.sleep(1);
  };
  return { clock: { ...systemClock, sleep }, waits, go };
}

const rename = (db: Database, name: string, clock: Clock = systemClock): Promise<unknown> =>
  inTransaction(db, clock, "rename", (tx) =>
    tx.prepare("UPDATE organizations SET name = ? WHERE id = 1").run(name),
  );

test.skipIf(!hasPostgres)(
  "a change made while another process of the node copies an older version loses no row",
  async () => {
    const first = open(machine.database);
    const [copying, changing, holding] = [
      open(machine.path("b.db")),
      open(machine.path("b.db")),
      open(machine.path("b.db"), false),
    ];
    await copyFromCluster(changing, systemClock);
    await rename(first, "Older");
    holding.exec("BEGIN IMMEDIATE");
    const [copy, change] = [gatedClock(), gatedClock()];
    const copied = copyFromCluster(copying, copy.clock);
    await copy.waits;
    // The copy in progress has already read the rows, without this change.
    await rename(first, "Newer");
    const changed = inTransaction(
      changing,
      change.clock,
      "change-plan",
      (tx) => void tx.prepare("UPDATE plans SET requests_per_second = 7").run(),
    );
    await change.waits;
    holding.exec("ROLLBACK");
    copy.go();
    // The change first brings the file to its older version, and then waits for nothing.
    while (copiedVersion(holding) < copiedVersion(first) - 1) await systemClock.sleep(1);
    change.go();
    await Promise.all([copied, changed]);
    await copyFromCluster(first, systemClock);
    expectSameRows(first, changing);
  },
);

test.skipIf(!hasPostgres)(
  "a copy that another process of the node has overtaken does not bring back older rows",
  async () => {
    const first = open(machine.database);
    const [slow, fast] = [open(machine.path("b.db")), open(machine.path("b.db"))];
    const holding = open(machine.path("b.db"), false);
    await copyFromCluster(fast, systemClock);
    await rename(first, "Older");
    holding.exec("BEGIN IMMEDIATE");
    const gate = gatedClock();
    const copied = copyFromCluster(slow, gate.clock);
    await gate.waits;
    await rename(first, "Newer");
    holding.exec("ROLLBACK");
    await copyFromCluster(fast, systemClock);
    gate.go();
    await copied;
    expect(copiedVersion(fast)).toBe(copiedVersion(first));
    expectSameRows(first, fast);
  },
);

test.skipIf(!hasPostgres)(
  "a node that lacks many rows makes the others wait for the last of them only",
  async () => {
    const first = open(machine.database);
    const behind = open(machine.path("b.db"));
    const PARTS = 12;
    const ROWS = 500;
    for (let part = 0; part < PARTS; part++) {
      await inTransaction(first, systemClock, "categories", (tx) =>
        tx
          .prepare(
            `WITH RECURSIVE n AS (SELECT 1 AS at UNION ALL SELECT at + 1 FROM n WHERE at < ${ROWS})
             INSERT INTO categories (slug, name, position) SELECT ? || at, 'Name', at FROM n`,
          )
          .run(`slug-${part}-`),
      );
    }
    const { authority } = requireCluster(behind);
    const { inTurn } = authority;
    let copied = 0;
    authority.inTurn = (work) =>
      inTurn((turn) =>
        work({
          ...turn,
          async changesAfter(version, rowsMax) {
            const changes = await turn.changesAfter(version, rowsMax);
            copied += changes.rows.length;
            return changes;
          },
        }),
      );
    await rename(behind, "Renamed");
    expect(copied).toBeWithin(1, 2_000 + 2 * ROWS);
    await copyFromCluster(first, systemClock);
    expectSameRows(first, behind);
  },
);
