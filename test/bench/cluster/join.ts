/**
 * Minutes until another machine is a node: `bun run bench:join [--channels N] [--posts M] [--anew]`. Makes an
 * appliance of that size and a cluster of it, with a PostgreSQL of its own; another node joins from a folder of
 * `kanalog backup --to` and from a backup in one file, is killed in it and started again, and rebuilds its copy.
 * In the end, the rows of all copies are compared. `--anew` also joins without a backup, which copies every row.
 * In the temporary folder, a million channels and five million posts take some 40 GB. Linux only.
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import pg from "pg";
import { openDomains } from "../../../src/app/domains.ts";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { finishPostSearch } from "../../../src/catalog/post-search/catch-up.ts";
import { optimizeSearch } from "../../../src/catalog/search/search-terms.ts";
import { sharedTables } from "../../../src/cluster/shared-tables.ts";
import { readConfig } from "../../../src/config.ts";
import { openDatabase } from "../../../src/db/open-database.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { systemPorts } from "../../../src/ports/ports.ts";
import { createMachine, type Machine, type Serving } from "../../support/machine.ts";
import { hasPostgres, startPostgres } from "../../support/postgres.ts";
import { inParts, withoutIndexes, writeChannels } from "../peers/data/generate.ts";
import { generatedPost } from "../peers/data/posts.ts";
import { command, SECRET, writeChannels as writeChanges } from "./stage.ts";

const { values } = parseArgs({
  options: {
    channels: { type: "string", default: "20000" },
    posts: { type: "string", default: "100000" },
    anew: { type: "boolean", default: false },
  },
});
const CHANNELS = Number(values.channels);
const POSTS = Number(values.posts);
/** Changed after the backups were made. */
const CHANGED = 1_000;

if (!hasPostgres) process.exit(1);
const machine = createMachine();
const postgres = await startPostgres({ isFlushed: true });
const steps: [step: string, seconds: number][] = [];
const settings = { KANALOG_SECRET: SECRET, KANALOG_LOG_LEVEL: "error" };
const ofNode = (name: string): Record<string, string> => ({
  ...settings,
  KANALOG_DB: machine.path(`${name}.db`),
  KANALOG_CLUSTER: postgres.url,
  KANALOG_NODE: name,
});
try {
  await bench();
} finally {
  console.log(`| ${CHANNELS} channels, ${POSTS} posts | minutes |\n|---|---|`);
  for (const [step, seconds] of steps) console.log(`| ${step} | ${(seconds / 60).toFixed(2)} |`);
  await machine.leave();
  await postgres.stop();
}
process.exit();

async function bench(): Promise<void> {
  const first = machine.path("a.db");
  await timed("the appliance is made", () => makeAppliance(first));
  await timed("cluster init", () =>
    command(machine, ["cluster", "init", "--from", first], ofNode("a")),
  );
  let a = await serve("a");
  const folder = await timed("backup --to a folder", () =>
    backUp(["--to", machine.path("backups")]),
  );
  const file = await timed("backup to a file", () => backUp([machine.path("backup.db")]));
  const changes = writeChanges(machine, CHANGED, 1);
  await command(machine, ["import", "channels", changes, "--wait"], ofNode("a"));

  const joined = await timed("join from the folder, until it serves", () => join("b", folder));
  await joined.serving.stop();
  await joinKilled("c", folder, joined.seconds / 2);
  const again = await timed(
    "join from the file, after one that was killed half-way, until it serves",
    () => join("c", file),
  );

  a = await killedAndBack(a);
  await again.serving.stop();
  await timed("rebuild from the folder", () =>
    command(machine, ["cluster", "rebuild", "--from", folder], ofNode("c")),
  );
  const names = ["a", "b", "c"];
  if (values.anew) {
    const anew = await timed("join without a backup, until it serves", () => join("d"));
    await anew.serving.stop();
    names.push("d");
  }
  await a.stop();
  await timed(`sums of ${names.length} copies and of PostgreSQL are compared`, () =>
    compare(names),
  );
}

async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const begunMs = performance.now();
  const done = await work();
  const seconds = (performance.now() - begunMs) / 1000;
  steps.push([step, seconds]);
  console.error(`${seconds.toFixed(1).padStart(8)} s  ${step}`);
  return done;
}

/** Writes channels, posts and what is derived from them, as after their import and a night. */
async function makeAppliance(file: string): Promise<void> {
  const config = readConfig({ ...settings, KANALOG_DB: file });
  const { db, clock } = await openDomains(config, systemPorts(config));
  db.pragma("synchronous = OFF");
  // The index is off while posts are written by SQL, and is built from all of them afterwards.
  await finishPostSearch(db, clock, false);
  writeChannels(db, CHANNELS);
  const each = Math.ceil(POSTS / CHANNELS);
  const insert = db.prepare(
    `INSERT INTO posts
       (channel_id, msgr_post_id, published_at, is_ad, views, read_at, link, text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  withoutIndexes(db, "posts", () =>
    inParts(db, POSTS, (from, to) => {
      for (let nth = from; nth <= to; nth++) {
        const back = each - 1 - Math.floor((nth - 1) / CHANNELS);
        const post = generatedPost(1 + ((nth - 1) % CHANNELS), back, each);
        const { channel, messengerId, publishedAt, isAd, views, link, text } = post;
        insert.run(channel, messengerId, publishedAt, isAd, views, publishedAt, link, text);
      }
    }),
  );
  await optimizeSearch(db, clock);
  await finishPostSearch(db, clock, true);
  await computeMetrics(db, clock);
  db.close();
}

function serve(name: string): Promise<Serving> {
  return machine.serve(["serve"], { environment: ofNode(name) });
}

/** @returns path of the backup */
async function backUp(to: readonly string[]): Promise<string> {
  const { out } = await command(machine, ["backup", ...to, "--json"], ofNode("a"));
  return (JSON.parse(out) as { path: string }).path;
}

/** @returns the node, and how long its command took without the start of the server */
async function join(name: string, from?: string): Promise<{ serving: Serving; seconds: number }> {
  const begunMs = performance.now();
  await command(machine, joinWords(from), ofNode(name));
  const seconds = (performance.now() - begunMs) / 1000;
  const serving = await serve(name);
  await ready(serving);
  return { serving, seconds };
}

function joinWords(from?: string): string[] {
  return ["cluster", "join", ...(from === undefined ? [] : ["--from", from])];
}

async function ready({ get }: Serving): Promise<void> {
  while ((await get("/readyz")).status !== 200) await Bun.sleep(100);
}

/** Kills a join after some seconds, or sooner if it is over by then. */
async function joinKilled(name: string, from: string, afterS: number): Promise<void> {
  const joining = machine.spawn(joinWords(from), { environment: ofNode(name) });
  await Promise.race([joining.exited, Bun.sleep(afterS * 1000)]);
  const isOver = joining.exitCode !== null;
  joining.kill("SIGKILL");
  await joining.exited;
  // The name of a node that was killed is free after ten seconds.
  await Bun.sleep(10_500);
  if (!isOver) return;
  for (const end of ["", "-wal", "-shm"]) {
    rmSync(machine.path(`${name}.db${end}`), { force: true });
  }
  await joinKilled(name, from, afterS / 2);
}

/** Kills a node while rows are imported on it, and starts it again. */
async function killedAndBack(node: Serving): Promise<Serving> {
  const importing = machine.spawn(["import", "channels", writeChanges(machine, CHANGED, 2)], {
    environment: ofNode("a"),
  });
  process.kill(node.pid, "SIGKILL");
  await importing.exited;
  return timed("a killed node starts again, until it is ready", async () => {
    const serving = await serve("a");
    await ready(serving);
    return serving;
  });
}

/** @throws Error unless all copies have the rows of PostgreSQL, and are without faults */
async function compare(names: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const counted = await client.query<{ table: string; rows: number }>(
    `SELECT "table", count(*)::integer AS rows FROM kanalog.rows
     WHERE row IS NOT NULL AND "table" <> 'sqlite_sequence' GROUP BY 1`,
  );
  await client.end();
  // Every command copies first what its node lacks.
  for (const name of names) await command(machine, ["org", "list"], ofNode(name));
  const ofCluster = new Map(counted.rows.map(({ table, rows }) => [table, rows]));
  const sums = names.map((name) => sumsOf(machine, name));
  for (const [at, name] of names.entries()) {
    for (const [table, { rows, sum }] of sums[at] ?? []) {
      const [wanted, first] = [ofCluster.get(table) ?? 0, sums[0]?.get(table)];
      if (rows !== wanted) throw new Error(`${name}: ${rows} rows of ${table}, not ${wanted}`);
      if (sum !== first?.sum) throw new Error(`${name}: other rows of ${table} than node a`);
    }
    await command(machine, ["check"], ofNode(name));
  }
  const rows = [...ofCluster.values()].reduce((all, one) => all + one, 0);
  console.error(`${rows} shared rows are the same in PostgreSQL and ${names.length} copies`);
}

/** For each shared table, the number of its rows and the sum of their hashes, in any order. */
function sumsOf({ path }: Machine, name: string): Map<string, { rows: number; sum: bigint }> {
  const db = openDatabase(path(`${name}.db`), systemClock, "reader");
  const sums = sharedTables(db).map(({ name: table, columns }) => {
    const values = columns.map((column) => `quote(${column.name})`).join(" || ',' || ");
    const all = db.prepare<{ row: string }>(`SELECT ${values} AS row FROM ${table}`);
    let [rows, sum] = [0, 0n];
    for (const { row } of all.iterate()) {
      rows += 1;
      sum = BigInt.asUintN(64, sum + BigInt(Bun.hash.wyhash(row)));
    }
    return [table, { rows, sum }] as const;
  });
  db.close();
  return new Map(sums);
}
