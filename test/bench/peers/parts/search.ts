import type { Target } from "../client/load.ts";
import { askPatiently } from "../client/patient.ts";
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
const OWN_PASSES = 20;
const LEAST: Record<string, number> = { Fastify: 20, PocketBase: 50 };

/** The peers are asked every fourth string only, since one takes them up to seconds. */
const SAMPLED = 4;
/** Of those every fifth is checked to be answered with the same rows. */
const CHECKED = 5;

/** Each string by one client, one after the other, many times: alone, then in turn with the peers. */
export const search: Part = async (run) => {
  const works = ["search", "search filtered"].map((name) => workNamed(run.works, name));
  const kanalog = await startKanalog(run.database);
  const others: Contender[] = [];
  try {
    const figures: Figure[] = [];
    for (const work of works) figures.push(await slowest(run, work, kanalog));
    others.push(await startFastify(run.database), await startPocketbase(run.database));
    for (const work of works) figures.push(...(await ratios(run, work, kanalog, others)));
    return figures;
  } finally {
    for (const { server } of [kanalog, ...others]) await server.stop();
  }
};

/** The string whose slowest answers are the slowest of all, while no other server runs. */
async function slowest({ options }: Run, work: Work, kanalog: Contender): Promise<Figure> {
  const target = await requireTarget(kanalog, work);
  // The first is not counted: it reads the file into the system's cache.
  const [, ...passes] = await askPatiently(target, options.isQuick ? 11 : 101);
  const p99OfString = work.wishes.map((_, index) =>
    percentile(
      passes.map((pass) => pass[index] ?? 0),
      0.99,
    ),
  );
  const value = Math.max(...p99OfString);
  const over = p99OfString.filter((p99) => p99 > P99_MAX_MS).length;
  const string = JSON.stringify(work.wishes[p99OfString.indexOf(value)]);
  const all = passes.flat();
  return {
    part: "search",
    name: `${work.name}, p99 of the slowest string`,
    value,
    unit: "ms",
    most: P99_MAX_MS,
    p50Ms: median(all),
    p99Ms: percentile(all, 0.99),
    note: `${over} of ${work.wishes.length} over it; ${string}`,
  };
}

/** How long the peers take for a sample of the strings, over how long Kanalog does. */
async function ratios(
  { options, tell }: Run,
  work: Work,
  kanalog: Contender,
  peers: readonly Contender[],
): Promise<Figure[]> {
  const sample = { wishes: work.wishes.filter((_, index) => index % SAMPLED === 0) };
  await requireSameRows(
    [kanalog, ...peers],
    sample.wishes.filter((_, index) => index % CHECKED === 0),
  );
  const totals = new Map<Contender, number[]>([kanalog, ...peers].map((one) => [one, []]));
  const rounds = options.isQuick ? 1 : 3;
  for (let round = 1; round <= rounds; round++) {
    for (const [contender, ofContender] of totals) {
      const target = await requireTarget(contender, sample);
      // A peer takes seconds for what Kanalog does in tenths: each is asked for seconds.
      const passes = contender === kanalog ? OWN_PASSES : 1;
      for (let pass = 0; pass < passes; pass++) ofContender.push(sum(await askEach(target)));
      tell(`${work.name}: ${contender.name}, pass ${round} of ${rounds}`);
    }
  }
  const totalOf = (contender: Contender): number => median(totals.get(contender) ?? []);
  const each = (contender: Contender): string =>
    (totalOf(contender) / sample.wishes.length).toFixed(1);
  return peers.map((peer) => ({
    part: "search",
    name: `${work.name}, ${sample.wishes.length} strings / ${peer.name}`,
    value: totalOf(peer) / totalOf(kanalog),
    unit: "",
    least: LEAST[peer.name] ?? 0,
    note: `${each(kanalog)} ms to ${each(peer)} ms a string`,
  }));
}

async function requireTarget(contender: Contender, work: Pick<Work, "wishes">): Promise<Target> {
  const target = await targetOf(contender, work);
  if (target === null) throw new Error(`${contender.name} has no search`);
  return target;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
