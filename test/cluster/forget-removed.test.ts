import { expect, test } from "bun:test";
import pg from "pg";
import { derivedRows } from "../../src/catalog/derived-rows.ts";
import { forgetRemoved, linkToCluster } from "../../src/cluster/link-to-cluster.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { type Node, startCluster } from "../support/cluster.ts";
import { channel, expectIds, idsOf, imported } from "../support/expectations.ts";
import { createMachine } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";

/** PostgreSQL's records of removed rows, which are deleted every night. */

async function inPostgres<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

const CHANNELS = "/v1/msgr/channels/";

test.skipIf(!hasPostgres)(
  "a removal is recorded until every node has copied it, and afterwards all nodes continue",
  async () => {
    const cluster = await startCluster();
    const [one, other] = cluster.nodes as [Node, Node];
    const recorded = async (): Promise<number> =>
      (await inPostgres(cluster.url, "SELECT 1 FROM kanalog.rows WHERE row IS NULL")).length;
    await imported(one, "channels", [channel(1), channel(2)]);
    await cluster.copyAll();
    await one.app.domains.channels.delete(1, COMMAND_LINE);
    await one.copy();
    await forgetRemoved(one.db, systemClock);
    expect(await recorded()).toBeGreaterThan(0);
    await other.copy();
    await expectIds(other, CHANNELS, [2]);

    await forgetRemoved(one.db, systemClock);
    expect(await recorded()).toBe(0);
    await imported(other, "channels", [channel(3)]);
    await one.copy();
    expect(idsOf(await one.get(CHANNELS)).toSorted()).toEqual([2, 3]);
    await forgetRemoved(other.db, systemClock);
    await imported(one, "channels", [channel(4)]);
    await cluster.close();
  },
);

test.skipIf(!hasPostgres)(
  "a node that was away for more than a week is not waited for, and has to be rebuilt",
  async () => {
    const machine = createMachine();
    const url = await newPostgresDatabase();
    const run = (node: string, words: string[]) =>
      machine.run(words, {
        environment: {
          ...{ KANALOG_CLUSTER: url, KANALOG_NODE: node, KANALOG_DB: machine.path(`${node}.db`) },
          KANALOG_SECRET: "the secret of all nodes of this cluster",
        },
      });
    const ok = async (node: string, words: string[]): Promise<void> => {
      const { exitCode, notes } = await run(node, words);
      expect(exitCode, notes).toBe(0);
    };
    await machine.run(["plan", "list"], { environment: { KANALOG_DB: machine.path("a.db") } });
    machine.write("channels.csv", "id,title,subscribers\n1,One,10\n2,Two,20\n");
    await ok("a", ["cluster", "init", "--from", machine.path("a.db")]);
    await ok("a", ["import", "channels", machine.path("channels.csv")]);
    for (const node of ["b", "c"]) await ok(node, ["cluster", "join"]);
    // As of a copy by the previous program, whose history cannot be recognized by its mark.
    const former = openDatabase(machine.path("c.db"), systemClock);
    former.exec("UPDATE cluster_copy SET mark = NULL");
    former.close();

    await ok("a", ["channel", "delete", "1", "--yes"]);
    const removed = "SELECT 1 FROM kanalog.rows WHERE row IS NULL";
    const seen = (ago: string) =>
      inPostgres(url, `UPDATE kanalog.nodes SET seen_at = now() - interval '${ago}'`);
    await seen("6 days");
    await inPostgres(
      url,
      `INSERT INTO kanalog.nodes
       SELECT 'a', 'file', version, now(), 'tests' FROM kanalog.state`,
    );
    const db = openDatabase(machine.path("a.db"), systemClock);
    linkToCluster(db, { url, node: "a" }, "test", derivedRows);
    await forgetRemoved(db, systemClock);
    expect(await inPostgres(url, removed)).not.toEqual([]);
    await seen("8 days");
    await inPostgres(url, "UPDATE kanalog.nodes SET seen_at = now() WHERE name = 'a'");
    await forgetRemoved(db, systemClock);
    db.close();
    expect(await inPostgres(url, removed)).toEqual([]);
    expect(await inPostgres(url, "SELECT name FROM kanalog.nodes")).toEqual([{ name: "a" }]);

    for (const node of ["b", "c"]) {
      const { exitCode, notes } = await run(node, ["channel", "show", "1"]);
      expect([node, exitCode]).not.toEqual([node, 0]);
      expect(notes).toContain("kanalog cluster rebuild");
      await ok(node, ["cluster", "rebuild"]);
      expect((await run(node, ["channel", "show", "1"])).notes).toContain(
        "Channel 1 was not found",
      );
      await ok(node, ["channel", "show", "2"]);
    }
    await machine.leave();
  },
);
