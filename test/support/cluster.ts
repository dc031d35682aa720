import { expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createApp } from "../../src/app/app.ts";
import { clusterCommands } from "../../src/app/cluster-commands.ts";
import { openCurrent } from "../../src/app/domains.ts";
import { linkCopy } from "../../src/app/node-copy.ts";
import { sharedTables } from "../../src/cluster/shared-tables.ts";
import { type Environment, readConfig } from "../../src/config.ts";
import type { Database } from "../../src/db/database.ts";
import { openInMemory } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { checkDatabase } from "../../src/upkeep/checks/check.ts";
import { type Appliance, applianceOver, liftRates } from "./appliance.ts";
import { type FakePorts, fakePorts } from "./fake-ports.ts";
import { newPostgresDatabase } from "./postgres.ts";
import { openPostgresLine, type PostgresLine } from "./postgres-line.ts";

export const CLUSTER_SECRET = "a secret that all nodes of the tests' clusters have";

/** A node: the whole application over a copy in memory. */
export interface Node extends Appliance {
  name: string;
  /** Its connection to PostgreSQL. */
  line: PostgresLine;
  db: Database;
  /** Updates its copy. */
  copy(): Promise<void>;
}

export interface Cluster {
  /** Address of its PostgreSQL, bypassing the nodes' lines. */
  url: string;
  ports: FakePorts;
  nodes: Node[];
  /** Updates all copies. */
  copyAll(): Promise<void>;
  /** All nodes as one appliance behind a load balancer: each call goes to the next node, after a copy. */
  inTurns: Appliance;
  /**
   * Expects all copies to be equal and without faults, and ends the nodes.
   * @param isFaultless false if a test wrote something that an appliance would not
   */
  close(isFaultless?: boolean): Promise<void>;
}

export interface ClusterOptions {
  nodes?: number;
  environment?: Environment;
  ports?: FakePorts;
  /** How far each node's clock is ahead of the previous node's. */
  clocksApartMs?: number;
}

/** Starts nodes in this process over one PostgreSQL, with one clock, which stands still. */
export async function startCluster({
  nodes: count = 2,
  environment = {},
  ports = fakePorts(),
  clocksApartMs = 0,
}: ClusterOptions = {}): Promise<Cluster> {
  prepared ??= prepareCluster();
  const { copy, template } = await prepared;
  const url = await newPostgresDatabase(template);
  const nodes: Node[] = [];
  for (let at = 1; at <= count; at++) {
    const own = withClockAhead(ports, (at - 1) * clocksApartMs);
    nodes.push(await startNode({ name: `node${at}`, url, copy, environment, ports: own }));
  }
  const [first] = nodes as [Node];

  const copyAll = async (): Promise<void> => {
    for (const node of nodes) await node.copy();
  };
  let turn = 0;
  const inTurn = async <T>(work: (node: Node) => Promise<T>): Promise<T> => {
    turn += 1;
    const node = nodes[turn % nodes.length] as Node;
    await node.copy();
    try {
      return await work(node);
    } finally {
      // Tests read the first node's database.
      if (node !== first) await first.copy();
    }
  };

  const cluster: Cluster = {
    ...{ url, ports, nodes, copyAll },
    inTurns: applianceOver(first.app, first.config, ports),
    async close(isFaultless = true) {
      for (const { line } of nodes) line.mend();
      try {
        await Promise.all(nodes.map(({ app }) => app.workAfterAnswers()));
        // A connection that was just cut may fail on its first use; the next use opens another.
        await copyAll().catch(copyAll);
        // Free requests are counted after their answers.
        for (let looks = 0; looks < 100 && !areSame(nodes); looks++) await copyAll();
        for (const node of nodes.slice(1)) expectSameRows(first.db, node.db);
        if (isFaultless) for (const { db } of nodes) expect(faultsOf(db)).toEqual([]);
      } finally {
        for (const { app, line } of nodes) {
          await app.close();
          await line.close();
        }
      }
    },
  };
  Object.assign(cluster.inTurns, {
    request: (...parameters) => inTurn((node) => node.request(...parameters)),
    customer: (...parameters) => inTurn((node) => node.customer(...parameters)),
    importRows: (...parameters) => inTurn((node) => node.importRows(...parameters)),
    close: () => cluster.close(),
  } satisfies Partial<Appliance>);
  await liftRates(first.app);
  await copyAll();
  return cluster;
}

function withClockAhead(ports: FakePorts, aheadMs: number): FakePorts {
  if (aheadMs === 0) return ports;
  return { ...ports, clock: { ...ports.clock, now: () => ports.clock.now() + aheadMs } };
}

async function startNode({
  name,
  url,
  copy,
  environment,
  ports,
}: {
  name: string;
  url: string;
  copy: Buffer;
  environment: Environment;
  ports: FakePorts;
}): Promise<Node> {
  const line = await openPostgresLine(url);
  const config = readConfig({
    KANALOG_DB: ":memory:",
    KANALOG_SECRET: CLUSTER_SECRET,
    ...environment,
    KANALOG_CLUSTER: line.url,
    KANALOG_NODE: name,
  });
  const app = await createApp(config, ports, {
    async open(_, { clock }) {
      const db = openInMemory(copy, clock);
      // A unique id, as each file has one, by which two nodes of the same name are distinguished.
      db.exec("UPDATE cluster_copy SET copy_id = lower(hex(randomblob(16)))");
      await linkCopy(db, ports.clock, config);
      return db;
    },
  });
  return {
    ...applianceOver(app, config, ports),
    ...{ name, line, db: app.domains.db },
    copy: async () => void (await app.services.copyNewest()),
  };
}

let prepared: Promise<{ copy: Buffer; template: string }> | null = null;

/** Creates a cluster from a new appliance's file, once per process, as a template for others. */
async function prepareCluster(): Promise<{ copy: Buffer; template: string }> {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  try {
    const path = join(folder, "first.db");
    const template = await newPostgresDatabase();
    const ports = fakePorts();
    const environment = { KANALOG_DB: path, KANALOG_SECRET: CLUSTER_SECRET };
    (await openCurrent(readConfig(environment), ports)).close();
    const config = readConfig({ ...environment, KANALOG_CLUSTER: template });
    await clusterCommands(config, ports).init(path);
    await countByClocksOfNodes(template);
    // The real clock, because it must agree with PostgreSQL's.
    const db = await openCurrent(config, { ...ports, clock: systemClock });
    // A file in WAL mode cannot be opened in memory.
    db.pragma("journal_mode = DELETE");
    db.close();
    return { copy: readFileSync(path), template: new URL(template).pathname.slice(1) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Has PostgreSQL count by the nodes' clocks, which tests set, instead of its own. */
async function countByClocksOfNodes(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    "CREATE OR REPLACE FUNCTION kanalog.clock(of_node bigint) RETURNS bigint LANGUAGE sql AS 'SELECT of_node'",
  );
  await client.end();
}

/** Faults that `kanalog check` would report of a database. */
export function faultsOf(db: Database): string[] {
  const faults: string[] = [];
  checkDatabase(db, (result) => faults.push(...result.faults));
  return faults;
}

function areSame(nodes: readonly Node[]): boolean {
  const contents = nodes.map(({ db }) => JSON.stringify([...contentOf(db)]));
  return new Set(contents).size === 1;
}

/** Expects two copies to have the same shared rows, assigned numbers and usage. */
export function expectSameRows(one: Database, other: Database): void {
  const rows = contentOf(one);
  for (const [table, has] of contentOf(other)) {
    expect(has, `rows of ${table}`).toEqual(rows.get(table) as string[]);
  }
}

/** A copy's shared rows by table, with values as SQL literals, and its usage, which is copied separately. */
export function contentOf(db: Database): Map<string, string[]> {
  const content = new Map<string, string[]>();
  for (const table of sharedTables(db)) {
    const values = table.columns.map(({ name }) => `quote(${name})`).join(" || ',' || ");
    const rows = db.prepare<{ row: string }>(`SELECT ${values} AS row FROM ${table.name}`).all();
    content.set(table.name, rows.map(({ row }) => row).sort());
    if (!table.isNumbered) continue;
    const sql = "SELECT seq FROM sqlite_sequence WHERE name = ?";
    const sequence = db.prepare<{ seq: number }>(sql).get(table.name)?.seq ?? 0;
    content.set(`numbers of ${table.name}`, [String(sequence)]);
  }
  for (const name of ["usage_days", "usage_periods"]) {
    const rows = db.prepare(`SELECT * FROM ${name}`).all();
    content.set(name, rows.map((row) => JSON.stringify(row)).sort());
  }
  return content;
}
