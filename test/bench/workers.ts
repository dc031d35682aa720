/**
 * Processor time of an answer and answers per second with 1 and with more workers, in turns of one run,
 * quiet and beside an import: `bun test/bench/workers.ts [workers] [rounds] [seconds] [channels]`.
 * The client is a process of its own, held to one core where `taskset` is installed. On two cores it
 * shows what workers cost, not what they bring. Linux only.
 */
import autocannon from "autocannon";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";

/** To each worker: requests that come together share a commit, so fewer would make each answer dearer. */
const CONNECTIONS_EACH = 50;
/** Processor time of an answer with several workers may be so many times that with one. */
const COST_MAX = 1.15;
/** The processes are looked at for so long while nobody asks. */
const REST_S = 5;
const PATHS = {
  card: "/v1/msgr/channels/7/",
  search: `/v1/msgr/channels/?q=${encodeURIComponent("канал 12")}&limit=20`,
};
type Kind = keyof typeof PATHS;
const KINDS = Object.keys(PATHS) as Kind[];

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
  answersOfCommit: number;
}

const [mode = "2", ...rest] = process.argv.slice(2);
if (mode === "load") await load(rest[0] ?? "", rest[1] ?? "", Number(rest[2]), Number(rest[3]));
else
  await compare(
    Number(mode),
    Number(rest[0] ?? 3),
    Number(rest[1] ?? 5),
    Number(rest[2] ?? 100_000),
  );

async function compare(
  workers: number,
  rounds: number,
  seconds: number,
  channels: number,
): Promise<void> {
  const machine = createMachine();
  try {
    await importChannels(machine, channels, 0).exited;
    const { key } = await machine.customer();
    for (const beside of [false, true]) {
      const samples = new Map<string, Sample[]>();
      for (let round = 0; round < rounds; round++) {
        for (const count of [1, workers]) {
          const serving = await machine.serve(["serve", "--workers", String(count)]);
          for (const kind of KINDS) {
            const sample = await measure(machine, serving, {
              kind,
              key,
              seconds,
              channels,
              beside,
              workers: count,
            });
            const name = `${kind} ${count}`;
            samples.set(name, [...(samples.get(name) ?? []), sample]);
          }
          await serving.stop();
        }
      }
      for (const kind of KINDS) {
        const [one, many] = [1, workers].map((count) =>
          summary(samples.get(`${kind} ${count}`) ?? []),
        );
        if (one === undefined || many === undefined) continue;
        const ratio = many.processorUs / one.processorUs;
        const ofAnswers = many.answerUs / one.answerUs;
        console.log(
          `${kind}${beside ? " beside an import" : ""}: ` +
            `1 worker ${one.perSecond.toFixed(0)} answers/s, ${one.processorUs.toFixed(1)} us each; ` +
            `${workers} workers ${many.perSecond.toFixed(0)} answers/s, ` +
            `${many.processorUs.toFixed(1)} us each, ${ratio.toFixed(2)} x` +
            // An import takes time of the same processes' commits; only the quiet ratio is asked for.
            (beside ? "" : ` (at most ${COST_MAX} x)`) +
            `; without rest ${one.answerUs.toFixed(1)} and ${many.answerUs.toFixed(1)} us, ` +
            `${ofAnswers.toFixed(2)} x; ${one.answersOfCommit.toFixed(0)} and ` +
            `${many.answersOfCommit.toFixed(0)} answers share a commit`,
        );
      }
    }
  } finally {
    await machine.leave();
  }
}

interface Asked {
  kind: Kind;
  key: string;
  seconds: number;
  channels: number;
  workers: number;
  /** Whether an import runs meanwhile. */
  beside: boolean;
}

async function measure(machine: Machine, serving: Serving, what: Asked): Promise<Sample> {
  const { kind, key, seconds, channels, beside } = what;
  const url = serving.address + PATHS[kind];
  const connections = CONNECTIONS_EACH * what.workers;
  // Each worker compiles by itself what it runs often.
  await client(url, key, seconds, connections);
  const rest = await restPerSecond(serving);
  const importing = beside ? importChannels(machine, channels, Date.now()) : null;
  const before = await counts(serving);
  const begunMs = performance.now();
  const answers = await client(url, key, seconds, connections);
  const after = await counts(serving);
  const took = (performance.now() - begunMs) / 1000;
  importing?.kill("SIGKILL");
  await importing?.exited;
  const processor = after.processorSeconds - before.processorSeconds;
  return {
    perSecond: answers / seconds,
    processorUs: (processor / answers) * 1e6,
    answerUs: ((processor - rest * took) / answers) * 1e6,
    answersOfCommit: answers / (after.commits - before.commits),
  };
}

/** Processor time a second while nobody asks. */
async function restPerSecond(serving: Serving): Promise<number> {
  const before = await counts(serving);
  await Bun.sleep(REST_S * 1000);
  return ((await counts(serving)).processorSeconds - before.processorSeconds) / REST_S;
}

/** Summed over all workers. */
async function counts(serving: Serving): Promise<{ processorSeconds: number; commits: number }> {
  const text = await (await serving.get("/metrics")).text();
  const value = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return {
    processorSeconds: value("process_cpu_seconds_total"),
    commits: value("kanalog_usage_commit_duration_seconds_count"),
  };
}

/** @returns how many answers it got */
async function client(
  url: string,
  key: string,
  seconds: number,
  connections: number,
): Promise<number> {
  const held = Bun.which("taskset") === null ? [] : ["taskset", "-c", "0"];
  const words = [
    ...held,
    process.execPath,
    import.meta.path,
    "load",
    url,
    key,
    String(seconds),
    String(connections),
  ];
  const text = await new Response(Bun.spawn(words).stdout).text();
  return Number(text.trim());
}

async function load(url: string, key: string, seconds: number, connections: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const found = await autocannon({ url, headers, connections, duration: seconds });
  if (found.non2xx > 0 || found.errors > 0) throw new Error(JSON.stringify(found.statusCodeStats));
  console.log(found["2xx"]);
}

function importChannels(machine: Machine, channels: number, version: number) {
  const rows = Array.from(
    { length: channels },
    (_, at) => `${at + 1},Канал ${at + 1} новости ${version},${at}`,
  );
  machine.write("channels.csv", `id,title,subscribers\n${rows.join("\n")}\n`);
  return machine.spawn(["import", "channels", machine.path("channels.csv")]);
}

function summary(samples: readonly Sample[]): Sample {
  const median = (of: keyof Sample): number =>
    samples.map((sample) => sample[of]).toSorted((one, other) => one - other)[
      samples.length >> 1
    ] ?? 0;
  return {
    perSecond: median("perSecond"),
    processorUs: median("processorUs"),
    answerUs: median("answerUs"),
    answersOfCommit: median("answersOfCommit"),
  };
}
