import type { Target } from "../client/load.ts";
import { askEach } from "../client/sequential.ts";
import type { Contender } from "../contenders/contender.ts";
import { startFastify } from "../contenders/fastify.ts";
import { startKanalog } from "../contenders/kanalog.ts";
import { requireSameRows, targetOf } from "../contenders/paths.ts";
import { startPocketbase } from "../contenders/pocketbase.ts";
import type { Figure } from "../figures.ts";
import type { Work } from "../requests.ts";
import { type Part, type Run, workNamed } from "../run.ts";
import { median, percentile } from "../statistics.ts";

const P99_MAX_MS = 15;
const OF_FASTIFY_LEAST = 20;
const OF_POCKETBASE_LEAST = 50;

/** The peers are asked every fourth string only, since one takes them up to seconds. */
const SAMPLED = 4;
/** Of those every fifth is checked to be answered with the same rows. */
const CHECKED = 5;

/** Each string by one client, one after the other, many times. */
export const search: Part = async (run) => {
  const kanalog = await startKanalog(run.database);
  const fastify = await startFastify(run.database);
  const pocketbase = await startPocketbase(run.database);
  try {
    const figures: Figure[] = [];
    for (const name of ["search", "search filtered"]) {
      const work = workNamed(run.works, name);
      figures.push(...(await measure(run, work, kanalog, { fastify, pocketbase })));
    }
    return figures;
  } finally {
    for (const { server } of [kanalog, fastify, pocketbase]) await server.stop();
  }
};

async function measure(
  run: Run,
  work: Work,
  kanalog: Contender,
  { fastify, pocketbase }: { fastify: Contender; pocketbase: Contender },
): Promise<Figure[]> {
  const { isQuick } = run.options;
  const ownPasses = isQuick ? 10 : 100;
  const peerPasses = isQuick ? 1 : 3;
  const sampled = work.wishes.map((_, index) => index).filter((index) => index % SAMPLED === 0);
  const sample = { wishes: sampled.flatMap((index) => work.wishes[index] ?? []) };
  await requireSameRows(
    [kanalog, fastify, pocketbase],
    sample.wishes.filter((_, index) => index % CHECKED === 0),
  );

  const own: number[][] = [];
  const peers = new Map<Contender, number[][]>([
    [fastify, []],
    [pocketbase, []],
  ]);
  for (let round = 0; round < peerPasses; round++) {
    const target = await requireTarget(kanalog, work);
    // Not counted: the peers' processes may still be at what their own pass has left them to do.
    await askEach(target);
    for (let pass = 0; pass < Math.ceil(ownPasses / peerPasses); pass++) {
      own.push(await askEach(target));
    }
    for (const [peer, passes] of peers) {
      passes.push(await askEach(await requireTarget(peer, sample)));
      run.tell(`${work.name}: ${peer.name}, pass ${round + 1} of ${peerPasses}`);
    }
  }

  const p99OfString = work.wishes.map((_, index) =>
    percentile(
      own.map((pass) => pass[index] ?? 0),
      0.99,
    ),
  );
  const slowest = p99OfString.indexOf(Math.max(...p99OfString));
  const overLimit = p99OfString.filter((value) => value > P99_MAX_MS).length;
  const all = own.flat();
  const common = { part: "search", p50Ms: median(all), p99Ms: percentile(all, 0.99) };
  const ownSampleMs = median(own.map((pass) => sum(sampled.map((index) => pass[index] ?? 0))));
  const ratio = (peer: Contender, least: number): Figure => {
    const peerMs = median((peers.get(peer) ?? []).map(sum));
    const eachMs = (totalMs: number): string => (totalMs / sampled.length).toFixed(1);
    return {
      ...common,
      name: `${work.name}, ${sampled.length} strings / ${peer.name}`,
      value: peerMs / ownSampleMs,
      unit: "",
      least,
      note: `${eachMs(ownSampleMs)} ms to ${eachMs(peerMs)} ms a string`,
    };
  };
  return [
    {
      ...common,
      name: `${work.name}, p99 of the slowest string`,
      value: p99OfString[slowest] ?? 0,
      unit: "ms",
      most: P99_MAX_MS,
      note: `${overLimit} of ${work.wishes.length} over it; ${JSON.stringify(work.wishes[slowest])}`,
    },
    ratio(fastify, OF_FASTIFY_LEAST),
    ratio(pocketbase, OF_POCKETBASE_LEAST),
  ];
}

async function requireTarget(contender: Contender, work: Pick<Work, "wishes">): Promise<Target> {
  const target = await targetOf(contender, work);
  if (target === null) throw new Error(`${contender.name} has no search`);
  return target;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
