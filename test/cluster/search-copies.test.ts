import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Cluster, type Node, startCluster } from "../support/cluster.ts";
import { channel, imported } from "../support/expectations.ts";
import { hasPostgres } from "../support/postgres.ts";

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
