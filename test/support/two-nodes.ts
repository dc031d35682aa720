import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { type Cluster, type ClusterOptions, type Node, startCluster } from "./cluster.ts";
import { hasPostgres } from "./postgres.ts";

/** The cluster of two nodes that the running test has. */
export let cluster: Cluster;
export let one: Node;
export let other: Node;

async function start(options: ClusterOptions): Promise<void> {
  if (!hasPostgres) return;
  cluster = await startCluster(options);
  [one, other] = cluster.nodes as [Node, Node];
}

async function close(): Promise<void> {
  if (hasPostgres) await cluster.close();
}

/** Each test of the file has a cluster of its own, which is compared after it. */
export function newClusterEachTest(options: ClusterOptions = {}): void {
  beforeEach(() => start(options));
  afterEach(close);
}

/** All tests of the file have one cluster, which is compared after the last. */
export function oneClusterForAll(options: ClusterOptions = {}): void {
  beforeAll(() => start(options));
  afterAll(close);
}
