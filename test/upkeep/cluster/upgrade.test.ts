import { afterEach, beforeEach, expect, test } from "bun:test";
import pg from "pg";
import { SCHEMA_VERSION } from "../../../src/db/migrate.ts";
import { createMachine, type Machine } from "../../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../../support/postgres.ts";
import { openPostgresLine, type PostgresLine } from "../../support/postgres-line.ts";

/** A cluster of the previous program, and the first node of this one. */

let machine: Machine;
let url: string;
let line: PostgresLine;
beforeEach(async () => {
  if (!hasPostgres) return;
  machine = createMachine();
  url = await newPostgresDatabase();
  line = await openPostgresLine(url);
  await machine.run(["plan", "list"]);
  await ok(["cluster", "init", "--from", machine.database]);
  await inPostgres(`
    DROP TABLE kanalog.commits;
    DROP FUNCTION kanalog.charge(bigint, uuid, json, json);
    UPDATE kanalog.state SET schema_version = 24`);
  const db = machine.open();
  db.exec("UPDATE cluster_copy SET mark = NULL");
  db.close();
});
afterEach(async () => {
  await machine?.leave();
  await line?.close();
});

const settings = (more: Record<string, string> = {}) => ({
  ...{ KANALOG_CLUSTER: line.url, KANALOG_NODE: "a" },
  ...{ KANALOG_SECRET: "the secret of all nodes of this cluster", ...more },
});

async function ok(words: string[], more: Record<string, string> = {}): Promise<void> {
  const { exitCode, notes } = await machine.run(words, { environment: settings(more) });
  expect(exitCode, notes).toBe(0);
}

async function inPostgres<Row extends object>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

const schema = async () =>
  (await inPostgres<{ v: number }>("SELECT schema_version AS v FROM kanalog.state"))[0]?.v;

test.skipIf(!hasPostgres)(
  "a node raises the schema even if PostgreSQL was unreachable at its start",
  async () => {
    line.cut();
    const node = await machine.serve(["serve"], { environment: settings() });
    line.mend();
    // The node tries again every second.
    const ready = async () => (await node.get("/readyz")).status === 200;
    for (let looks = 0; looks < 4_000 && (await schema()) !== SCHEMA_VERSION; looks++)
      await ready();
    expect(await schema()).toBe(SCHEMA_VERSION);
    for (let looks = 0; looks < 4_000 && !(await ready()); looks++);
    expect(await ready()).toBe(true);
    expect(await node.stop()).toBe(0);
  },
);

test.skipIf(!hasPostgres)(
  "a refused join, a successful one and a leave do not raise the schema; a start does",
  async () => {
    const joins = { KANALOG_NODE: "b", KANALOG_DB: machine.path("b.db") };
    await inPostgres("INSERT INTO kanalog.nodes VALUES ('b', 'another', 1, now(), 'former')");
    const { notes } = await machine.run(["cluster", "join"], { environment: settings(joins) });
    expect(notes).toContain("Another node named b");
    await inPostgres("DELETE FROM kanalog.nodes");
    await ok(["cluster", "leave", "--to", machine.path("left.db")]);
    await ok(["cluster", "join"], joins);
    expect(await schema()).toBe(24);
    await ok(["org", "list"], joins);
    expect(await schema()).toBe(SCHEMA_VERSION);
  },
);
