import pg from "pg";
import { medianRatio } from "../peers/statistics.ts";
import { inTurns, medians } from "./answers.ts";
import type { Report } from "./report.ts";
import type { Stage } from "./stage.ts";

/**
 * Time of a commit beyond the flushes of this machine's disk, as of the network and the disks of two servers: the
 * figures depend less on where they are taken.
 */
const COMMIT_US = 4_000;
/** Wanted: what two nodes answer, as a multiple of what one does, by the number of organizations on both. */
const WANTED = new Map([
  [2, 1.8],
  [1, 1.5],
]);

/** Answers that a second node adds; each node has as many connections of its own in both cases. */
export async function benchThroughput(
  stage: Stage,
  { rounds, seconds }: { rounds: number; seconds: number },
  report: Report,
): Promise<void> {
  const [a, b] = stage.nodes;
  const paths = Array.from({ length: 100 }, (_, at) => `/v1/msgr/channels/${at + 1}/`);
  await setCommitDelay(stage, COMMIT_US);
  for (const connections of [16, 128]) {
    for (const [organizations, wanted] of WANTED) {
      const keys = [stage.key, stage.secondKey].slice(0, organizations);
      const requested = { paths, connections, seconds, keys };
      const [one, two] = await inTurns(stage, [[a], [a, b]], rounds, requested);
      const [alone, both] = [medians(one ?? []), medians(two ?? [])];
      const perSecond = (all: typeof one = []) => all.map((seen) => seen.perSecond);
      const of = organizations === 1 ? "one organization" : `${organizations} organizations`;
      const what = `cards of ${of}, ${connections} connections to each node`;
      report(
        what,
        `${alone.perSecond.toFixed(0)} answers/s`,
        `${both.perSecond.toFixed(0)} answers/s`,
        `${medianRatio(perSecond(two), perSecond(one)).toFixed(2)} x; wanted: at least ${wanted} x`,
      );
      const processor = ({ serverUs, postgresUs }: typeof alone) =>
        `${serverUs.toFixed(0)} + ${postgresUs.toFixed(0)} us`;
      const remark = "nodes + PostgreSQL's primary";
      report("the same: processor time of a card", processor(alone), processor(both), remark);
    }
  }
  await setCommitDelay(stage, 0);
}

async function setCommitDelay({ postgres }: Stage, us: number): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`ALTER SYSTEM SET commit_delay = ${us}`);
  await client.query("ALTER SYSTEM SET commit_siblings = 0");
  await client.query("SELECT pg_reload_conf()");
  await client.end();
}
