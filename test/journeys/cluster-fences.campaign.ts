import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import pg from "pg";
import { CLUSTER_SCHEMA } from "../../src/cluster/cluster-schema.ts";
import { startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine, type RunOptions, type Serving } from "../support/machine.ts";
import { nextProgram } from "../support/next-program.ts";
import {
  hasPostgres,
  newPostgresDatabase,
  type PostgresServer,
  startPostgres,
} from "../support/postgres.ts";
import { openPostgresLine } from "../support/postgres-line.ts";
import { until } from "../support/until.ts";
import {
  call,
  createWebhook,
  elapsed,
  expectPing,
  posts,
  pushing,
  readEvent,
  withCustomers,
  writePosts,
} from "../support/webhook-journey.ts";

/** PostgreSQL decides, whatever a node's own clock, counter or program says: over real processes. */

const SECRET = "the secret of both nodes of this journey";
const CARD = "/v1/msgr/channels/1/";
const DAY_MS = 86_400_000;

let machine: Machine;
let servers: PostgresServer[];
beforeEach(() => {
  machine = createMachine();
  servers = [];
});
afterEach(async () => {
  await machine.leave();
  for (const server of servers) await server.stop();
}, 60_000);

/** Settings and program of a node. */
const node = (name: "a" | "b", url: string, program?: readonly string[]): RunOptions => ({
  ...pushing({
    ...{ KANALOG_CLUSTER: url, KANALOG_NODE: name, KANALOG_SECRET: SECRET },
    ...{ KANALOG_DB: name === "a" ? machine.database : machine.path("b.db") },
    KANALOG_LOG_LEVEL: "info",
  }),
  ...(program !== undefined && { program }),
});

async function ok(words: string[], options: RunOptions): Promise<void> {
  const { exitCode, notes } = await machine.runProgram(words, options);
  expect(exitCode, `${words.join(" ")}: ${notes}`).toBe(0);
}

const serve = (options: RunOptions): Promise<Serving> => machine.serve(["serve"], options);

async function inPostgres<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const results = await client.query(sql);
    return results.rows as Row[];
  } finally {
    await client.end();
  }
}

/** Puts a cluster's dump back on another server, row by row, as `pg_dump` and `psql` do. */
async function putBack(from: string, to: string): Promise<void> {
  const tables = await inPostgres<{ name: string }>(
    from,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'kanalog'",
  );
  const client = new pg.Client({ connectionString: to });
  await client.connect();
  await client.query(CLUSTER_SCHEMA);
  for (const { name } of tables) {
    const [dump] = await inPostgres<{ rows: unknown }>(
      from,
      `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM kanalog.${name} t`,
    );
    await client.query(`TRUNCATE kanalog.${name}`);
    await client.query(
      `INSERT INTO kanalog.${name} SELECT * FROM json_populate_recordset(NULL::kanalog.${name}, $1)`,
      [dump?.rows],
    );
  }
  await client.end();
}

/** Rows of usage that nodes have read so far. */
async function usageRead(url: string): Promise<number> {
  const sql = `
    SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 AS rows
    FROM pg_stat_user_tables WHERE schemaname = 'kanalog' AND relname LIKE 'usage_%'`;
  return (await inPostgres<{ rows: number }>(url, sql))[0]?.rows ?? 0;
}

test.skipIf(!hasPostgres)(
  "a dump put back on another server is counted on, and nodes do not read all usage again and again",
  async () => {
    const usageRows = 20_000;
    const [main] = await withCustomers(machine, { customers: 1, channels: 1 });
    const file = machine.open();
    const insert = file.prepare("INSERT INTO usage_days VALUES (?, ?, 'free', 1, 200, 1, 0)");
    file.transaction(() => {
      for (let day = 1; day <= usageRows; day++) insert.run(main.organization, day);
    })();
    file.close();
    servers = [
      await startPostgres({ isFlushed: false }),
      await startPostgres({ isFlushed: false }),
    ];
    const [first, second] = servers.map(({ url }) => url) as [string, string];
    // The other server has seen fewer transactions than the one before.
    await inPostgres(
      first,
      "DO $$ BEGIN FOR i IN 1..5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$",
    );
    await ok(["cluster", "init", "--from", machine.database], node("a", first));
    await ok(["cluster", "join"], node("b", first));
    const before = await serve(node("b", first));
    expect((await before.get(CARD, main.key)).status).toBe(200);
    expect(await before.stop()).toBe(0);
    await putBack(first, second);

    const [a, b] = [await serve(node("a", second)), await serve(node("b", second))];
    expect((await a.get(CARD, main.key)).status).toBe(200);
    const used = async ({ get }: Serving): Promise<number> => {
      const body = (await (await get("/v1/me/", main.key)).json()) as { usage: { used: number } };
      return body.usage.used;
    };
    for (const one of [a, b]) await until(async () => (await used(one)) === 2, "both cards");
    // Each may read everything once, because it cannot know how old the dump was.
    let readIn3s = usageRows;
    for (let tries = 0; tries < 15 && readIn3s >= usageRows; tries++) {
      const seen = await usageRead(second);
      await elapsed(3_000);
      readIn3s = (await usageRead(second)) - seen;
    }
    expect(readIn3s).toBeLessThan(usageRows);
    for (const one of [a, b]) {
      expect((await one.get("/readyz")).status).toBe(200);
      expect(await one.stop()).toBe(0);
    }
  },
);

test.skipIf(!hasPostgres)(
  "half-way through a rolling upgrade, the upgraded node delivers webhooks while the other one still runs",
  async () => {
    const [main] = await withCustomers(machine, { customers: 1, channels: 1 });
    const url = await newPostgresDatabase();
    const [older, newer] = [node("a", url), node("b", url, nextProgram(machine))];
    await ok(["cluster", "init", "--from", machine.database], older);
    await ok(["cluster", "join"], node("b", url));
    const a = await serve(older);
    await until(() => a.printed().includes("does the cluster's upkeep"), "the older node's lease");
    const b = await serve(newer);
    const receiver = await startReceiver();
    try {
      const webhook = await createWebhook(b, main, receiver, "/hook", [1]);
      await expectPing(b, main, webhook);
      await ok(["import", "posts", writePosts(machine, posts(1, 3))], newer);
      const delivered = () => receiver.requests.flatMap((request) => readEvent(request).posts);
      await until(() => delivered().length === 3, "the posts");
      expect((await a.get(CARD, main.key)).status).toBe(200);
      for (const one of [a, b]) expect(await one.stop()).toBe(0);
    } finally {
      await receiver.close();
    }
  },
);

test.skipIf(!hasPostgres)(
  "a node whose clock is a month ahead bills nothing into the next period, and says why",
  async () => {
    const { key } = await machine.customer("start");
    machine.write("channels.csv", "id,title,subscribers\n1,Птицы,1000\n");
    await ok(["import", "channels", "channels.csv"], {});
    await machine.json(["plan", "set", "start", "--quota", "3"]);
    const url = await newPostgresDatabase();
    await ok(["cluster", "init", "--from", machine.database], node("a", url));
    await ok(["cluster", "join"], node("b", url));
    const a = await serve(node("a", url));
    for (let left = 3; left > 0; left--) expect((await a.get(CARD, key)).status).toBe(200);
    expect((await a.get(CARD, key)).status).toBe(429);

    // It starts while PostgreSQL cannot be reached, so nobody compares the clocks before it serves.
    const line = await openPostgresLine(url);
    line.cut();
    const ahead = machine.write(
      "ahead.ts",
      `const now = Date.now; Date.now = () => now() + ${31 * DAY_MS};`,
    );
    const main = join(import.meta.dir, "../../src/main.ts");
    const b = await serve(node("b", line.url, [process.execPath, "--preload", ahead, main]));
    line.mend();
    const statuses = new Set<number>();
    await until(async () => {
      statuses.add((await b.get(CARD, key)).status);
      return b.printed().includes("s ahead of PostgreSQL's");
    }, "the reason in the log");
    for (let asked = 0; asked < 5; asked++) statuses.add((await b.get(CARD, key)).status);
    expect([...statuses]).toEqual([503]);
    const ready = (await (await b.get("/readyz")).json()) as { checks: Record<string, string> };
    expect(ready.checks["cluster"]).toContain("s ahead of PostgreSQL's");
    const periods = await inPostgres<{ used: number }>(
      url,
      "SELECT sum(used)::int AS used FROM kanalog.usage_periods GROUP BY started_at",
    );
    expect(periods).toEqual([{ used: 3 }]);
    expect((await call(a, key, "GET", "/v1/me/")).body).toMatchObject({ usage: { used: 3 } });
    for (const one of [a, b]) expect(await one.stop()).toBe(0);
    await line.close();
  },
);
