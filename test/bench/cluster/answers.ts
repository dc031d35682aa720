import { median } from "../peers/statistics.ts";
import { startLoad } from "./load.ts";
import type { Server, Stage } from "./stage.ts";

/** Measurements of one kind of answers. */
export interface Answers {
  perSecond: number;
  /** Processor time per answer of the servers. */
  serverUs: number;
  /** Processor time per answer of all PostgreSQL processes. */
  postgresUs: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers per commit of units. */
  ofCommit: number;
  commitP50Ms: number;
  commitP99Ms: number;
}

/** What is requested, and for how long. */
export interface Requested {
  paths: readonly string[];
  /** Per server, shared by the keys. */
  connections: number;
  /** Keys, each of another organization that sends to all servers; by default one. */
  keys?: readonly string[];
  seconds: number;
}

/**
 * Sends requests to several servers at the same time. Processor time is their total, divided by all answers.
 * @throws Error if an answer was not a 200
 */
export async function measure(
  stage: Stage,
  servers: readonly Server[],
  { paths, connections, seconds, keys = [stage.key] }: Requested,
): Promise<Answers> {
  const { postgres } = stage;
  const before = await Promise.all(servers.map(readCommits));
  const serverMs = sum(servers.map((server) => server.processorMs()));
  const postgresMs = postgres.processorMs();
  const seen = await Promise.all(
    servers.flatMap(({ address }) =>
      keys.map((key) => {
        const order = { address, key, paths, seconds, pauseMs: 0 };
        return startLoad({ ...order, connections: connections / keys.length }).seen;
      }),
    ),
  );
  const tookMs = {
    server: sum(servers.map((server) => server.processorMs())) - serverMs,
    postgres: postgres.processorMs() - postgresMs,
  };
  const after = await Promise.all(servers.map(readCommits));
  const others = seen.flatMap((one) => Object.entries(one.others));
  if (others.length > 0) throw new Error(`answers that were not 200: ${JSON.stringify(others)}`);
  const answers = sum(seen.map((one) => one.answers));
  const commits = after[0]?.map(({ untilMs }, at) => {
    const count = (of: Commits[]): number => sum(of.map((one) => one[at]?.count ?? 0));
    return { untilMs, count: count(after) - count(before) };
  });
  return {
    perSecond: answers / seconds,
    serverUs: (tookMs.server / answers) * 1000,
    postgresUs: (tookMs.postgres / answers) * 1000,
    p50Ms: Math.max(...seen.map((one) => one.p50Ms)),
    p99Ms: Math.max(...seen.map((one) => one.p99Ms)),
    ofCommit: answers / (commits?.at(-1)?.count ?? Number.NaN),
    commitP50Ms: within(commits ?? [], 0.5),
    commitP99Ms: within(commits ?? [], 0.99),
  };
}

/**
 * Measures servers, or groups of them, in turn.
 * @param warmS a first round that is not counted, in which each process compiles its code
 * @returns the rounds of each group
 */
export async function inTurns(
  stage: Stage,
  groups: readonly (readonly Server[])[],
  rounds: number,
  requested: Requested,
  warmS = 2,
): Promise<Answers[][]> {
  const seen = groups.map((): Answers[] => []);
  for (const group of groups) await measure(stage, group, { ...requested, seconds: warmS });
  for (let round = 0; round < rounds; round++) {
    for (const [at, group] of groups.entries()) {
      seen[at]?.push(await measure(stage, group, requested));
    }
  }
  return seen;
}

/** The median of each figure over the rounds. */
export function medians(rounds: readonly Answers[]): Answers {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Answers)[];
  const values = names.map((name) => [name, median(rounds.map((round) => round[name]))]);
  return Object.fromEntries(values) as Answers;
}

/** A cumulative histogram: how many commits of usage took at most `untilMs`. */
type Commits = { untilMs: number; count: number }[];

async function readCommits(server: Server): Promise<Commits> {
  const text = await (await server.get("/metrics")).text();
  const lines = text.matchAll(
    /^kanalog_usage_commit_duration_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm,
  );
  return [...lines].map(([, le, count]) => ({
    untilMs: le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le) * 1000,
    count: Number(count),
  }));
}

/** A quantile of the commits' durations, interpolated within its bucket. */
function within(commits: Commits, share: number): number {
  const wanted = share * (commits.at(-1)?.count ?? 0);
  const at = commits.findIndex(({ count }) => count >= wanted);
  const [low, high] = [commits[at - 1] ?? { untilMs: 0, count: 0 }, commits[at]];
  if (high === undefined || !Number.isFinite(high.untilMs)) return low.untilMs;
  const part = (wanted - low.count) / (high.count - low.count);
  return low.untilMs + part * (high.untilMs - low.untilMs);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
