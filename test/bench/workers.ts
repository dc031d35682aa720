/**
 * Processor time of an answer with 1 and with more workers, in turns of one run, and what
 * `KANALOG_DURABLE=full` costs: `bun test/bench/workers.ts [workers] [rounds] [seconds] [channels]`, in
 * six minutes. The client is a process of its own, held to one core where `taskset` is installed. On two
 * cores it shows what workers cost, not what they bring. Linux only.
 */
import { copyFileSync } from "node:fs";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { startLoad } from "./cluster/load.ts";
import { median } from "./peers/statistics.ts";

/** To each worker: requests that come together share a commit, so fewer would make each answer dearer. */
const CONNECTIONS_EACH = 50;
/** Processor time of an answer with several workers may be so many times that with one. */
const COST_MAX = 1.15;
/** The processes are looked at for so long while nobody asks. */
const REST_S = 3;
/**
 * Before anything is counted: each worker compiles by itself what it runs often, and several get fewer answers
 * each in the same time.
 */
const WARM_S = 10;

const [workers = 2, rounds = 3, seconds = 4, channels = 20_000] = process.argv.slice(2).map(Number);

interface Setup {
  name: string;
  workers: number;
  /** To all workers together. */
  connections: number;
  durable?: "full";
  beside?: boolean;
  /** Servers of a file each, which share nothing but the processors. */
  apart?: boolean;
}

const one = { workers: 1, connections: CONNECTIONS_EACH };
const many = { workers, connections: CONNECTIONS_EACH * workers };
const SETUPS: Setup[] = [
  { name: "1 worker", ...one },
  { name: `${workers} workers`, ...many },
  // Processors that are busy make all work on them dearer (two may be threads of one core): that is no
  // cost of sharing a file.
  { name: `${workers} appliances of 1 worker`, ...one, apart: true },
  // Its commits have as few answers as those of several workers behind one client.
  { name: "1 worker, a third of the connections", ...one, connections: CONNECTIONS_EACH / 3 },
  { name: "1 worker, KANALOG_DURABLE=full", ...one, durable: "full" },
  { name: `${workers} workers, KANALOG_DURABLE=full`, ...many, durable: "full" },
  { name: "1 worker beside an import", ...one, beside: true },
  { name: `${workers} workers beside an import`, ...many, beside: true },
];

const KINDS = {
  card: Array.from({ length: 100 }, (_, at) => `/v1/msgr/channels/${at + 1}/`),
  search: [`/v1/msgr/channels/?q=${encodeURIComponent("канал 12")}&limit=20`],
};
type Kind = keyof typeof KINDS;

interface Sample {
  perSecond: number;
  /** Processor time of an answer, of all workers and their threads. */
  processorUs: number;
  /**
   * The same without what the processes take at rest: a client that several workers share gives each
   * fewer answers to bear it.
   */
  answerUs: number;
  /** Those that share a commit: several workers get fewer each at once, and commit more often. */
  ofCommit: number;
  p99Ms: number;
}

const machine = createMachine();
const machines = [machine];
try {
  await importChannels(machine, 0).exited;
  const { key } = await machine.customer();
  await machine.json(["plan", "set", "profi", "--quota", "1000000000"]);
  while (machines.length < workers) {
    const other = createMachine();
    copyFileSync(machine.database, other.database);
    machines.push(other);
  }
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round < rounds; round++) {
    for (const setup of SETUPS) {
      const words = ["serve", "--workers", String(setup.workers)];
      const environment: Record<string, string> =
        setup.durable === undefined ? {} : { KANALOG_DURABLE: setup.durable };
      const served = setup.apart === true ? machines : [machine];
      const servings = await Promise.all(served.map((on) => on.serve(words, { environment })));
      for (const kind of Object.keys(KINDS) as Kind[]) {
        if (kind === "search" && setup.durable !== undefined) continue;
        const name = `${kind}: ${setup.name}`;
        const sample = await measure(servings, setup, kind, key);
        samples.set(name, [...(samples.get(name) ?? []), sample]);
        console.error(name, JSON.stringify(sample));
      }
      for (const serving of servings) await serving.stop();
    }
  }
  tell(samples);
} finally {
  for (const one of machines) await one.leave();
}

/** Each beside the first of its kind, by the medians of the rounds. */
function tell(samples: ReadonlyMap<string, Sample[]>): void {
  console.log(`Of ${workers} workers at most ${COST_MAX} x is asked, quiet.\n`);
  console.log("| | us an answer | x | without rest | x | answers/s | share a commit | p99 |");
  console.log("|---|---|---|---|---|---|---|---|");
  for (const [name, all] of samples) {
    const first = samples.get(name.replace(/: .*/, ": 1 worker")) ?? all;
    const of = (which: keyof Sample, some = all) => median(some.map((sample) => sample[which]));
    const beside = (which: keyof Sample) => (of(which) / of(which, first)).toFixed(2);
    const cells = [
      ...[of("processorUs").toFixed(1), beside("processorUs")],
      ...[of("answerUs").toFixed(1), beside("answerUs")],
      ...[of("perSecond").toFixed(0), of("ofCommit").toFixed(1), `${of("p99Ms").toFixed(1)} ms`],
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

async function measure(
  servings: readonly Serving[],
  { connections, beside }: Setup,
  kind: Kind,
  key: string,
): Promise<Sample> {
  const ask = (forS: number) =>
    Promise.all(
      servings.map(({ address }) => {
        const order = { address, key, paths: KINDS[kind], pauseMs: 0, seconds: forS };
        return startLoad({ ...order, connections: Math.round(connections) }).seen;
      }),
    );
  await ask(WARM_S);
  const rest = await restPerSecond(servings);
  const importing = beside ? importChannels(machine, Date.now()) : null;
  const before = await counts(servings);
  const begunMs = performance.now();
  const seen = await ask(seconds);
  const after = await counts(servings);
  const tookS = (performance.now() - begunMs) / 1000;
  importing?.kill("SIGKILL");
  await importing?.exited;
  const others = seen.flatMap((one) => Object.entries(one.others));
  if (others.length > 0) throw new Error(`not only 200: ${JSON.stringify(others)}`);
  const answers = seen.reduce((all, one) => all + one.answers, 0);
  const processor = after.processorSeconds - before.processorSeconds;
  return {
    perSecond: answers / seconds,
    processorUs: (processor / answers) * 1e6,
    answerUs: ((processor - rest * tookS) / answers) * 1e6,
    ofCommit: answers / (after.commits - before.commits),
    p99Ms: Math.max(...seen.map((one) => one.p99Ms)),
  };
}

/** Processor time a second while nobody asks. */
async function restPerSecond(servings: readonly Serving[]): Promise<number> {
  const before = await counts(servings);
  await Bun.sleep(REST_S * 1000);
  return ((await counts(servings)).processorSeconds - before.processorSeconds) / REST_S;
}

interface Counts {
  processorSeconds: number;
  commits: number;
}

/** Summed over all workers. */
async function counts(servings: readonly Serving[]): Promise<Counts> {
  const sum = { processorSeconds: 0, commits: 0 };
  for (const serving of servings) {
    const text = await (await serving.get("/metrics")).text();
    const value = (name: string): number =>
      Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    sum.processorSeconds += value("process_cpu_seconds_total");
    sum.commits += value("kanalog_usage_commit_duration_seconds_count");
  }
  return sum;
}

function importChannels(on: Machine, version: number) {
  const rows = Array.from(
    { length: channels },
    (_, at) => `${at + 1},Канал ${at + 1} новости ${version},${at}`,
  );
  on.write("channels.csv", `id,title,subscribers\n${rows.join("\n")}\n`);
  return on.spawn(["import", "channels", on.path("channels.csv")]);
}
