/**
 * Compares a cluster of two nodes with one machine, in one run: `bun run bench:cluster [--quick] [--channels N]`.
 * Then one node with two, and one worker with two. PostgreSQL and a synchronous standby are started in a folder of
 * their own; neither root nor Docker is needed. Figures of processor time are valid
 * on a busy machine too, those of elapsed time only on a quiet one. Linux only.
 */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import pg from "pg";
import { hasPostgres } from "../../support/postgres.ts";
import { residentBytes } from "../peers/processes.ts";
import { percentile } from "../peers/statistics.ts";
import { type Answers, inTurns, medians, type Requested } from "./answers.ts";
import { type Imported, measureImport, measureLag } from "./changes.ts";
import { createReports } from "./report.ts";
import { type Server, type Stage, startStage } from "./stage.ts";
import { benchThroughput } from "./throughput.ts";
import { benchWorkers } from "./workers.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, channels: { type: "string" } },
});
const SIZE = values.quick
  ? { rounds: 1, seconds: 2, restS: 3, lags: 8, channels: 20_000 }
  : { rounds: 3, seconds: 4, restS: 10, lags: 50, channels: 300_000 };
const CHANNELS = Number(values.channels ?? SIZE.channels);
const CARDS = Array.from({ length: 100 }, (_, at) => `/v1/msgr/channels/${at + 1}/`);
const SEARCHES = Array.from(
  { length: 20 },
  (_, at) => `/v1/msgr/channels/?q=${encodeURIComponent(`канал ${at + 10}`)}&limit=20`,
);

if (!hasPostgres) process.exit(1);
const reports = createReports();
const report = reports.table("one machine", "cluster");
const stage = await startStage();
try {
  await bench(stage);
  await benchThroughput(stage, SIZE, reports.table("one node", "two nodes"));
  await benchWorkers(stage, SIZE, reports.table("one worker", "two workers"));
} finally {
  reports.print();
  await stage.leave();
}
process.exit();

async function bench({ alone, nodes, postgres, machine }: Stage): Promise<void> {
  const [a, b] = nodes;
  const rest = await atRest([alone, a]);
  for (const connections of [32, 128]) {
    const requested = { paths: CARDS, connections, seconds: SIZE.seconds };
    reportCards(`card, ${connections} connections`, await compare([[alone], [a]], requested), rest);
  }
  const both = { paths: CARDS, connections: 64, seconds: SIZE.seconds };
  const [together] = await compare([[a, b]], both);
  const ofTwo = { ...rest, node: 2 * rest.node };
  reportCards("card, 64 connections to each of two nodes", [null, together], ofTwo);

  const onOne = await measureLag(stage, [alone, alone], SIZE.lags);
  const lag = await measureLag(stage, nodes, SIZE.lags);
  const ms = (found: number[]) =>
    `p50 ${percentile(found, 0.5).toFixed(0)}, p99 ${percentile(found, 0.99).toFixed(0)} ms`;
  const remark = `${SIZE.lags} times; target: p99 of at most 5 s`;
  const what = "1,000 rows, from the command's start until the (other) server has them";
  report(what, ms(onOne.fromStartMs), ms(lag.fromStartMs), remark);
  report("the same from the command's end", ms(onOne.fromEndMs), ms(lag.fromEndMs), "");

  reportImports(
    await measureImport(stage, [alone], CHANNELS),
    await measureImport(stage, nodes, CHANNELS),
  );

  const requested = { paths: SEARCHES, connections: 16, seconds: SIZE.seconds };
  const [one, node] = (await compare([[alone], [b]], requested)) as [Answers, Answers];
  report(
    "search, processor time",
    `${one.serverUs.toFixed(0)} us`,
    `${node.serverUs.toFixed(0)} + ${node.postgresUs.toFixed(0)} us`,
    `${(node.serverUs / one.serverUs).toFixed(2)} x; target: at most 1.1 x`,
  );

  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  const memory = async ({ pid }: Server) => megabytes((await residentBytes(pid)) ?? 0);
  report("resident memory", await memory(alone), `${await memory(a)}, ${await memory(b)}`, "");
  const file = (path: string) => megabytes(statSync(path).size);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const size = await client.query("SELECT pg_database_size(current_database())::float8 AS bytes");
  await client.end();
  const files = `${file(b.database)} a node, PostgreSQL ${megabytes(size.rows[0].bytes)}`;
  report("file", file(machine.database), files, "");
}

/** Measures servers, or groups of them, in turn. */
async function compare(groups: readonly Server[][], requested: Requested): Promise<Answers[]> {
  return (await inTurns(stage, groups, SIZE.rounds, requested)).map(medians);
}

/** Processor time without requests, in milliseconds per second; PostgreSQL's for both nodes. */
interface Rest {
  alone: number;
  node: number;
  postgres: number;
}

async function atRest([one, other]: [Server, Server]): Promise<Rest> {
  const read = () => [one.processorMs(), other.processorMs(), stage.postgres.processorMs()];
  const before = read();
  await Bun.sleep(SIZE.restS * 1000);
  const [alone = 0, node = 0, postgres = 0] = read().map((after, at) => {
    return (after - (before[at] ?? 0)) / SIZE.restS;
  });
  const ofCluster = `${node.toFixed(1)} + ${postgres.toFixed(1)} ms/s`;
  report("at rest, processor time", `${alone.toFixed(1)} ms/s`, ofCluster, "a node + PostgreSQL");
  return { alone, node, postgres };
}

function reportCards(
  what: string,
  [alone, node]: readonly (Answers | null | undefined)[],
  rest: Rest,
): void {
  const row = (name: string, remark: string, given: (seen: Answers, rest: Rest) => string) => {
    const one = alone ? given(alone, { ...rest, node: rest.alone, postgres: 0 }) : "";
    report(`${what}: ${name}`, one, node ? given(node, rest) : "", remark);
  };
  row("processor time", "node + PostgreSQL", ({ serverUs, postgresUs }) => {
    return `${serverUs.toFixed(0)} + ${postgresUs.toFixed(0)} us`;
  });
  row(
    "without processor time at rest",
    "",
    ({ serverUs, postgresUs, perSecond }, { node, postgres }) => {
      const [server, other] = [
        serverUs - (1000 * node) / perSecond,
        postgresUs - (1000 * postgres) / perSecond,
      ];
      return `${server.toFixed(0)} + ${other.toFixed(0)} us`;
    },
  );
  row("p50, p99", "", ({ p50Ms, p99Ms }) => `${p50Ms.toFixed(1)}, ${p99Ms.toFixed(1)} ms`);
  row("commit p50, p99", "by the histogram's buckets", (seen) => {
    return `${seen.commitP50Ms.toFixed(1)}, ${seen.commitP99Ms.toFixed(1)} ms`;
  });
  row("throughput", "", ({ perSecond, ofCommit }) => {
    return `${perSecond.toFixed(0)} answers/s, ${ofCommit.toFixed(1)} share a commit`;
  });
}

function reportImports(one: Imported, cluster: Imported): void {
  const what = `import of ${CHANNELS.toLocaleString("en")} channels`;
  const row = (name: string, given: (seen: Imported) => string, remark = "") =>
    report(`${what}: ${name}`, given(one), given(cluster), remark);
  row(
    "until all have them",
    ({ seconds }) => `${seconds.toFixed(1)} s, ${(CHANNELS / seconds).toFixed(0)} rows/s`,
    `${(cluster.seconds / one.seconds).toFixed(1)} x`,
  );
  row(
    "processor time",
    ({ processorS: { command, servers, postgres } }) =>
      `${[command, servers, postgres].map((seconds) => seconds.toFixed(1)).join(" + ")} s`,
    "command + servers + PostgreSQL",
  );
  row(
    "billed cards on the last node during the import, p99",
    ({ besideP99Ms, quietP99Ms, refused }) =>
      `${besideP99Ms.toFixed(0)} ms, quiet ${quietP99Ms.toFixed(0)}, ${refused} refused`,
  );
  report(
    `${what}: others' waits for their turn`,
    "",
    `p50 ${cluster.turnP50Ms.toFixed(0)}, p99 ${cluster.turnP99Ms.toFixed(0)}, at most ${cluster.turnMaxMs.toFixed(0)} ms`,
    "",
  );
}
