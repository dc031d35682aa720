/**
 * How much a second node adds: `bun test/bench/cluster/balance.ts [ROUNDS]`, after `bun src/packaging/build.ts`
 * and with KANALOG_TEST_BUILT=dist. One node and two take turns, each node with as many connections of its own
 * in both cases, with one organization and with two on both nodes. Commits take a fixed time, as with a
 * synchronous standby (`commit_delay`), so that the figures do not depend on this machine's disk.
 */
import pg from "pg";
import { percentile } from "../peers/statistics.ts";
import { startLoad } from "./load.ts";
import { type Server, startStage } from "./stage.ts";

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = 3;
/** A flush and a round trip to a standby. */
const COMMIT_US = 4_000;
const PATHS = Array.from({ length: 100 }, (_, at) => `/v1/msgr/channels/${at + 1}/`);

const stage = await startStage();
try {
  const client = new pg.Client({ connectionString: stage.postgres.url });
  await client.connect();
  await client.query(`ALTER SYSTEM SET commit_delay = ${COMMIT_US}`);
  await client.query("ALTER SYSTEM SET commit_siblings = 0");
  await client.query("SELECT pg_reload_conf()");
  await client.end();
  const keys = [stage.key, await secondKey()];
  const [a, b] = stage.nodes;
  await run([[a, 0]], 16, keys);
  console.log(
    "| connections per node | organizations | one node | two nodes | ratio |\n|---|---|---|---|---|",
  );
  for (const connections of [16, 128]) {
    for (const organizations of [1, 2]) {
      const [one, two]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        one.push(await run(loadsOf([a], organizations), connections, keys));
        two.push(await run(loadsOf([a, b], organizations), connections, keys));
      }
      const ratio = percentile(
        two.map((perSecond, at) => perSecond / (one[at] as number)),
        0.5,
      );
      const cells = [percentile(one, 0.5).toFixed(0), percentile(two, 0.5).toFixed(0)];
      console.log(
        `| ${connections} | ${organizations} | ${cells.join(" | ")} | ${ratio.toFixed(2)} |`,
      );
    }
  }
} finally {
  await stage.leave();
}
process.exit();

/** A load for each of the organizations on each of the nodes. */
function loadsOf(nodes: readonly Server[], organizations: number): [Server, number][] {
  return nodes.flatMap((node) =>
    Array.from({ length: organizations }, (_, at): [Server, number] => [node, at]),
  );
}

/** @returns answers per second of all loads together, which share a node's connections */
async function run(
  loads: readonly [Server, number][],
  connectionsOfNode: number,
  keys: readonly string[],
): Promise<number> {
  const nodes = new Set(loads.map(([node]) => node));
  const connections = (connectionsOfNode * nodes.size) / loads.length;
  const seen = await Promise.all(
    loads.map(([{ address }, at]) => {
      const key = keys[at] as string;
      return startLoad({ address, key, paths: PATHS, connections, seconds: SECONDS, pauseMs: 0 })
        .seen;
    }),
  );
  const others = seen.flatMap((one) => Object.entries(one.others));
  if (others.length > 0) throw new Error(`answers that were not 200: ${JSON.stringify(others)}`);
  return seen.reduce((sum, { answers }) => sum + answers, 0) / SECONDS;
}

/** A key of another organization. */
async function secondKey(): Promise<string> {
  const { environment } = stage.nodes[0];
  const json = async (words: string[]): Promise<{ id: number; key: string }> => {
    const { out, notes, exitCode } = await stage.machine.runProgram([...words, "--json"], {
      environment,
    });
    if (exitCode !== 0) throw new Error(notes);
    return JSON.parse(out);
  };
  const { id } = await json(["org", "create", "--name", "Second", "--plan", "profi"]);
  const email = ["--email", "bob@example.com", "--role", "owner"];
  const member = await json(["member", "add", String(id), ...email]);
  return (await json(["key", "create", "--member", String(member.id)])).key;
}
