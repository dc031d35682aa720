import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import pg from "pg";
import { allImagesSql, type RowImage, sharedTables } from "../../src/cluster/shared-tables.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { CLUSTER_SECRET } from "../support/cluster.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";
import { openPostgresLine } from "../support/postgres-line.ts";

/** `kanalog cluster init` with real processes: beside a server that writes, and killed. */

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const settingsOf = (url: string) => ({
  ...{ KANALOG_CLUSTER: url, KANALOG_NODE: "a", KANALOG_SECRET: CLUSTER_SECRET },
});

async function init(file: string, url: string): Promise<{ rows: number; created: boolean }> {
  const { exitCode, out, notes } = await machine.runProgram(
    ["cluster", "init", "--from", file, "--json"],
    { environment: settingsOf(url) },
  );
  expect(exitCode, notes).toBe(0);
  return JSON.parse(out);
}

async function inPostgres<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

/** Compares the rows of a copy with those of its cluster. @returns their number */
async function expectSameRows(file: string, url: string): Promise<number> {
  const db = openDatabase(file, systemClock, "reader");
  const own = sharedTables(db).flatMap((table) => db.prepare<RowImage>(allImagesSql(table)).all());
  const used = db
    .prepare<{ used: number }>("SELECT coalesce(sum(used), 0) AS used FROM usage_periods")
    .all();
  db.close();
  const sql = `SELECT "table", key, row FROM kanalog.rows WHERE "table" <> 'sqlite_sequence'`;
  const ofCluster = await inPostgres<RowImage>(url, sql);
  const inOrder = (rows: RowImage[]): string[] =>
    rows.map(({ table, key, row }) => `${table} ${key} ${row}`).sort();
  expect(inOrder(ofCluster)).toEqual(inOrder(own));
  const sum = "SELECT coalesce(sum(used), 0)::integer AS used FROM kanalog.usage_periods";
  expect(await inPostgres(url, sum)).toEqual(used);
  return own.length;
}

function writeChannels(ids: readonly number[]): string {
  return machine.write(
    "channels.csv",
    `id,title,subscribers\n${ids.map((id) => `${id},Канал ${id},${id}\n`).join("")}`,
  );
}

const even = Array.from({ length: 3_000 }, (_, at) => 2 * at + 2);
const odd = even.map((id) => id + 1);

describe.skipIf(!hasPostgres)("cluster init", () => {
  test("sends rows beside a server that writes, and once that has ended only what it wrote since", async () => {
    await machine.json(["import", "channels", writeChannels(even)]);
    const { key } = await machine.customer();
    const server = await machine.serve(["serve"], {
      environment: { KANALOG_SECRET: CLUSTER_SECRET },
    });
    const card = async (id: number): Promise<number> =>
      (await server.get(`/v1/msgr/channels/${id}/`, key)).status;
    const url = await newPostgresDatabase();
    expect(await card(2)).toBe(200);

    const [ahead] = await Promise.all([
      init(machine.database, url),
      machine.json(["import", "channels", writeChannels(odd)]),
      card(4),
    ]);
    expect(ahead.created).toBe(false);
    expect((await init(machine.database, url)).created).toBe(false);
    await machine.json(["import", "channels", writeChannels([2, 9_000])]);
    // Also a row that is removed, in a table of many parts.
    const file = machine.open();
    file.exec("DELETE FROM channel_texts WHERE id = 4");
    file.close();
    await machine.run(["key", "revoke", key]);
    expect(await card(6)).toBe(200);
    await server.stop();

    const { rows, created } = await init(machine.database, url);
    expect(created).toBe(true);
    expect(await expectSameRows(machine.database, url)).toBe(rows - (await sequences(url)));
    const [largest] = await inPostgres<{ rows: number }>(
      url,
      "SELECT count(*)::integer AS rows FROM kanalog.rows GROUP BY version ORDER BY 1 DESC LIMIT 1",
    );
    // Copies take all rows of a version at once.
    expect(largest?.rows).toBe(2_000);
    const environment = { ...settingsOf(url), KANALOG_NODE: "b", KANALOG_DB: "b.db" };
    expect((await machine.run(["cluster", "join"], { environment })).exitCode).toBe(0);
    expect(await expectSameRows(machine.path("b.db"), url)).toBe(rows - (await sequences(url)));
  });

  test("leaves the file as it was if it is killed at any step, and continues when it is started again", async () => {
    await machine.json(["import", "channels", writeChannels(even)]);
    await machine.customer();
    const bytes = new Uint8Array(await Bun.file(machine.database).arrayBuffer());
    const through = await openPostgresLine(await newPostgresDatabase());
    machine.write("whole.db", bytes);
    await init(machine.path("whole.db"), through.url);
    const steps = through.questions;
    await through.close();

    // The last step but one is the cluster's commit, after which the file is told.
    for (const step of [3, Math.floor(steps / 3), Math.floor((steps * 2) / 3), steps - 1]) {
      const file = machine.write(`${step}.db`, bytes);
      const url = await newPostgresDatabase();
      const line = await openPostgresLine(url);
      const making = machine.spawn(["cluster", "init", "--from", file], {
        environment: settingsOf(line.url),
      });
      line.loseAnswer(step, () => making.kill("SIGKILL"));
      await making.exited;
      expect(making.signalCode, `step ${step}: ${await making.stderr.text()}`).toBe("SIGKILL");
      await line.close();
      const db = openDatabase(file, systemClock);
      expect(db.prepare("SELECT * FROM cluster_copy").all()).toEqual([]);
      db.exec("UPDATE organizations SET name = 'Другая'");
      db.close();
      expect((await init(file, url)).created).toBe(true);
      await expectSameRows(file, url);
    }
  });
});

async function sequences(url: string): Promise<number> {
  const sql = `SELECT 1 FROM kanalog.rows WHERE "table" = 'sqlite_sequence'`;
  return (await inPostgres(url, sql)).length;
}
