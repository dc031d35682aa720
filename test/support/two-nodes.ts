import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { type Cluster, type ClusterOptions, type Node, startCluster } from "./cluster.ts";
import { hasPostgres } from "./postgres.ts";

/** The running test's cluster of two nodes. */
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

/** Gives each test of the file a new cluster, whose nodes are compared after it. */
export function newClusterEachTest(options: ClusterOptions = {}): void {
  beforeEach(() => start(options));
  afterEach(close);
}

/** Gives all tests of the file one cluster, whose nodes are compared after the last one. */
export function oneClusterForAll(options: ClusterOptions = {}): void {
  beforeAll(() => start(options));
  afterAll(close);
}
