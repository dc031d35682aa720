import { afterEach, beforeEach, expect, test } from "bun:test";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { CLUSTER_SECRET, type Cluster, type Node, startCluster } from "../support/cluster.ts";
import { channel, imported } from "../support/expectations.ts";
import { createMachine } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";
import { until } from "../support/until.ts";

let cluster: Cluster;
beforeEach(async () => {
  if (hasPostgres) cluster = await startCluster();
});
afterEach(() => cluster?.close());

test.skipIf(!hasPostgres)(
  "the search index of a node that copies has as few segments as that of the node that imports",
  async () => {
    const [one, other] = cluster.nodes as [Node, Node];
    const pieces = ({ db }: Node): number =>
      db.prepare<{ n: number }>("SELECT count(DISTINCT segid) AS n FROM channel_search_idx").get()
        ?.n ?? 0;
    for (let id = 1; id <= 40; id++) {
      await imported(one, "channels", [channel(id)]);
      await other.copy();
    }
    expect(pieces(other)).toBeLessThanOrEqual(pieces(one) + 4);
  },
);

test.skipIf(!hasPostgres)(
  "after a large import, the search index of every node is one segment with the counts of its terms",
  async () => {
    const machine = createMachine();
    const rows = Array.from({ length: 2_000 }, (_, at) => `${at + 1},Новости ${at + 1},${at}\n`);
    machine.write("channels.csv", `id,title,subscribers\n${rows.join("")}`);
    const url = await newPostgresDatabase();
    const of = (name: string) => ({
      environment: {
        ...{ KANALOG_CLUSTER: url, KANALOG_SECRET: CLUSTER_SECRET, KANALOG_NODE: name },
        KANALOG_DB: machine.path(`${name}.db`),
      },
    });
    const indexOf = (name: string) => {
      const db = openDatabase(machine.path(`${name}.db`), systemClock, "reader");
      const segments = db
        .prepare("SELECT count(DISTINCT segid) AS n FROM channel_search_idx")
        .all();
      const terms = db.prepare("SELECT * FROM search_trigrams ORDER BY trigram").all();
      db.close();
      return JSON.stringify({ segments, terms });
    };
    await machine.run(["org", "list"], { environment: { KANALOG_DB: machine.path("a.db") } });
    await machine.run(["cluster", "init", "--from", machine.path("a.db")], of("a"));
    await machine.run(["cluster", "join"], of("b"));
    await machine.run(["import", "channels", machine.path("channels.csv")], of("a"));
    // The start copies most of it, before the node looks every second.
    await machine.serve(["serve"], of("b"));
    expect(indexOf("a")).toContain('"n":1}');
    expect(indexOf("a")).toContain("нов");
    await until(() => indexOf("b") === indexOf("a"), "the search index of the other node");
    await machine.leave();
  },
);
