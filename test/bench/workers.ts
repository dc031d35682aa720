/**
 * Processor time of an answer with 1 and with more workers, and what `KANALOG_DURABLE=full` costs:
 * `bun test/bench/workers.ts [workers] [rounds] [turns] [channels]`, in six minutes. All set-ups serve at the
 * same time, each on its own file, and are measured in turns of a second, so that other work on the machine
 * affects all of them. Each round starts new processes. The client is wrk if it is installed, because one in
 * JavaScript would take one of two cores from the workers. On two cores this shows what workers cost, not what they
 * gain. Linux only.
 */
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { type LoadResult, load } from "./peers/client/load.ts";
import { median } from "./peers/statistics.ts";

/** Per worker. With fewer, fewer requests would share a commit, and each answer would cost more. */
const CONNECTIONS_EACH = 50;
/** Target: processor time of an answer with several workers, as a multiple of that with one. */
const COST_MAX = 1.15;
/** How long processor time at rest is measured, without requests. */
const REST_S = 3;
/**
 * Answers per worker before measuring, because each compiles its own code; warming up ends earlier after
 * `WARM_S_MAX`.
 */
const WARM_ANSWERS = { card: 40_000, search: 2_000 };
const WARM_S_MAX = 20;
/** Threads that compile: their time depends on how long a worker has been running, not on what it shares. */
const COMPILING = /^JITWorker/;
const TURN_S = 1;

const [workers = 2, rounds = 2, turns = 6, channels = 20_000] = process.argv.slice(2).map(Number);

interface Setup {
  name: string;
  workers: number;
  /** In total, to all workers. */
  connections: number;
  durable?: "full";
  beside?: boolean;
  /** Separate servers, each with its own file, which share only the processors. */
  apart?: boolean;
}

const one = { workers: 1, connections: CONNECTIONS_EACH };
const many = { workers, connections: CONNECTIONS_EACH * workers };
const SETUPS: Setup[] = [
  { name: "1 worker", ...one },
  { name: `${workers} workers`, ...many },
  // Busy processors make all work slower, since two may be threads of one core. This set-up shows how much of
  // the cost that is, rather than sharing a file.
  { name: `${workers} appliances of 1 worker`, ...one, apart: true },
  // Its commits have about as few answers as those of several workers that share a client.
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
  /** Processor time per answer, of all workers and their threads. */
  processorUs: number;
  /**
   * The same without compiling and without the time at rest, because several workers that share a client have
   * fewer answers each among which to divide these.
   */
  answerUs: number;
  /** Answers per commit: several workers get fewer requests at once each, and commit more often. */
  ofCommit: number;
  p99Ms: number;
  /** How often threads slept per 1,000 answers; a count, which a busy machine changes little. */
  sleeps: number;
}

/** A running set-up. */
interface Stage {
  setup: Setup;
  machines: Machine[];
  servings: Serving[];
  /** Seconds of processor time per second without requests. */
  rest: number;
}

const first = createMachine();
const machines = [first];
try {
  await importChannels(first, "0").exited;
  const { key } = await first.customer();
  await first.json(["plan", "set", "profi", "--quota", "1000000000"]);
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round < rounds; round++) {
    const stages: Stage[] = [];
    for (const setup of SETUPS) stages.push(await startStage(setup, key));
    for (let turn = 0; turn < turns; turn++) {
      for (const stage of stages) {
        for (const kind of kindsOf(stage.setup)) {
          const name = `${kind}: ${stage.setup.name}`;
          const sample = await measure(stage, kind, key, `${round}${turn}`);
          samples.set(name, [...(samples.get(name) ?? []), sample]);
          console.error(name, JSON.stringify(sample));
        }
      }
    }
    for (const { servings, machines } of stages) {
      for (const serving of servings) await serving.stop();
      for (const machine of machines) await machine.leave();
    }
  }
  printTable(samples);
} finally {
  for (const one of machines) await one.leave();
}

function kindsOf({ durable }: Setup): Kind[] {
  return durable === undefined ? ["card", "search"] : ["card"];
}

/** Starts a set-up on copies of the file, and warms it up. */
async function startStage(setup: Setup, key: string): Promise<Stage> {
  const own = Array.from({ length: setup.apart === true ? workers : 1 }, createMachine);
  machines.push(...own);
  for (const machine of own) copyFileSync(first.database, machine.database);
  const words = ["serve", "--workers", String(setup.workers)];
  const environment: Record<string, string> =
    setup.durable === undefined ? {} : { KANALOG_DURABLE: setup.durable };
  const servings = await Promise.all(own.map((on) => on.serve(words, { environment })));
  const stage = { setup, machines: own, servings, rest: 0 };
  for (const kind of kindsOf(setup)) await warm(stage, kind, key);
  return { ...stage, rest: await restPerSecond(servings) };
}

async function warm(stage: Stage, kind: Kind, key: string): Promise<void> {
  const wanted = WARM_ANSWERS[kind] * stage.setup.workers * stage.servings.length;
  let answers = 0;
  for (let second = 0; second < WARM_S_MAX && answers < wanted; second++) {
    for (const { perSecond } of await ask(stage, kind, key, 1)) answers += perSecond;
  }
}

/** Prints each set-up compared with one worker and with separate appliances, by the medians of all turns. */
function printTable(samples: ReadonlyMap<string, Sample[]>): void {
  console.log(
    `Target: ${workers} workers cost at most ${COST_MAX} x one worker, without an import.\n`,
  );
  console.log(
    "| | us per answer | without rest and compiling | x 1 worker | x appliances | sleeps per 1,000 | answers/s | answers per commit | p99 |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const [name, all] of samples) {
    const of = (which: keyof Sample, some = all) => median(some.map((sample) => sample[which]));
    const beside = (setup: string) => {
      const others = samples.get(name.replace(/: .*/, `: ${setup}`)) ?? all;
      return (of("answerUs") / of("answerUs", others)).toFixed(2);
    };
    const cells = [
      ...[of("processorUs").toFixed(1), of("answerUs").toFixed(1)],
      ...[beside("1 worker"), beside(`${workers} appliances of 1 worker`)],
      ...[of("sleeps").toFixed(0), of("perSecond").toFixed(0)],
      ...[of("ofCommit").toFixed(1), `${of("p99Ms").toFixed(1)} ms`],
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

/** Sends requests to all servers of a set-up for some seconds. */
function ask(
  { servings, setup }: Pick<Stage, "servings" | "setup">,
  kind: Kind,
  key: string,
  seconds: number,
): Promise<LoadResult[]> {
  const headers = { authorization: `Bearer ${key}` };
  const connections = Math.round(setup.connections);
  return Promise.all(
    servings.map(({ address }) =>
      load({ address, headers, paths: KINDS[kind] }, { connections, seconds }),
    ),
  );
}

/** @param turn makes the imports of different turns differ */
async function measure(stage: Stage, kind: Kind, key: string, turn: string): Promise<Sample> {
  const { setup, servings, rest, machines } = stage;
  const [on] = machines as [Machine];
  const importing = setup.beside ? importChannels(on, turn) : null;
  const before = await counts(servings);
  const begunMs = performance.now();
  const seen = await ask(stage, kind, key, TURN_S);
  const after = await counts(servings);
  const tookS = (performance.now() - begunMs) / 1000;
  importing?.kill("SIGKILL");
  await importing?.exited;
  const perSecond = seen.reduce((all, one) => all + one.perSecond, 0);
  const answers = perSecond * TURN_S;
  const { processor, compiling, commits, sleeps } = between(before, after);
  return {
    perSecond,
    processorUs: (processor / answers) * 1e6,
    answerUs: ((processor - compiling - rest * tookS) / answers) * 1e6,
    ofCommit: answers / commits,
    p99Ms: Math.max(...seen.map((one) => one.p99Ms)),
    sleeps: (sleeps / answers) * 1_000,
  };
}

/** Seconds of processor time per second without requests, and without compiling. */
async function restPerSecond(servings: readonly Serving[]): Promise<number> {
  const before = await counts(servings);
  await Bun.sleep(REST_S * 1000);
  const { processor, compiling } = between(before, await counts(servings));
  return (processor - compiling) / REST_S;
}

/** Totals of all workers. */
interface Counts {
  processorSeconds: number;
  commits: number;
  /** By thread id. */
  threads: Map<string, Thread>;
}

interface Thread {
  name: string;
  seconds: number;
  sleeps: number;
}

async function counts(servings: readonly Serving[]): Promise<Counts> {
  const all: Counts = { processorSeconds: 0, commits: 0, threads: new Map() };
  for (const serving of servings) {
    const text = await (await serving.get("/metrics")).text();
    const value = (name: string): number =>
      Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    all.processorSeconds += value("process_cpu_seconds_total");
    all.commits += value("kanalog_usage_commit_duration_seconds_count");
    for (const [id, thread] of processesOf(serving.pid).flatMap(threadsOf)) {
      all.threads.set(id, thread);
    }
  }
  return all;
}

/** Differences; a thread that has ended in between counts only in the processes' time. */
function between(before: Counts, after: Counts) {
  const taken = [...after.threads].map(([id, { name, seconds, sleeps }]) => ({
    compiling: COMPILING.test(name) ? seconds - (before.threads.get(id)?.seconds ?? 0) : 0,
    sleeps: sleeps - (before.threads.get(id)?.sleeps ?? 0),
  }));
  return {
    processor: after.processorSeconds - before.processorSeconds,
    commits: after.commits - before.commits,
    compiling: taken.reduce((sum, one) => sum + one.compiling, 0),
    sleeps: taken.reduce((sum, one) => sum + one.sleeps, 0),
  };
}

/** A process and its children. */
function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return [pid, ...(children === "" ? [] : children.split(" ").map(Number))];
}

function threadsOf(pid: number): [id: string, thread: Thread][] {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).map((id) => {
    const status = readFileSync(`${folder}/${id}/status`, "utf8");
    const [ranNs] = readFileSync(`${folder}/${id}/schedstat`, "utf8").split(" ");
    const thread = {
      name: /^Name:\s*(.*)$/m.exec(status)?.[1] ?? "",
      seconds: Number(ranNs) / 1e9,
      sleeps: Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)?.[1]),
    };
    return [id, thread];
  });
}

/** @param version is written in letters, so that a search for a channel's number finds the same in every turn */
function importChannels(on: Machine, version: string) {
  const letters = [...version].map((digit) => "абвгдежзик"[Number(digit)]).join("");
  const rows = Array.from(
    { length: channels },
    (_, at) => `${at + 1},Канал ${at + 1} новости ${letters},${at}`,
  );
  on.write("channels.csv", `id,title,subscribers\n${rows.join("\n")}\n`);
  return on.spawn(["import", "channels", on.path("channels.csv")]);
}
