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

const P99_MAX_MS: Record<string, number> = { search: 15, "search filtered": 20 };
const OWN_PASSES = 20;
const LEAST: Record<string, number> = { Fastify: 20, PocketBase: 50 };

/** The peers get only every fourth string, because one can take them seconds. */
const SAMPLED = 4;
/** Every fifth of those is checked for the same rows. */
const CHECKED = 5;

/** Each string by one client, one after another, many times: alone, then in turn with the peers. */
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

/** The string with the highest p99, while no other server is running. */
async function slowest({ options }: Run, work: Work, kanalog: Contender): Promise<Figure> {
  const target = await requireTarget(kanalog, work);
  // The first pass is not counted, because it reads the file into the system's cache.
  const [, ...passes] = await askPatiently(target, options.isQuick ? 11 : 101);
  const p99OfString = work.wishes.map((_, index) =>
    percentile(
      passes.map((pass) => pass[index] ?? 0),
      0.99,
    ),
  );
  const value = Math.max(...p99OfString);
  const most = P99_MAX_MS[work.name] ?? 0;
  const over = p99OfString.filter((p99) => p99 > most).length;
  const string = JSON.stringify(work.wishes[p99OfString.indexOf(value)]);
  const all = passes.flat();
  return {
    part: "search",
    name: `${work.name}, p99 of the slowest string`,
    value,
    unit: "ms",
    most,
    p50Ms: median(all),
    p99Ms: percentile(all, 0.99),
    note: `${over} of ${work.wishes.length} over it; ${string}`,
  };
}

/** The peers' time for a sample of the strings, divided by Kanalog's. */
async function ratios(
  { options, report }: Run,
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
      // Kanalog makes more passes, so that each contender is measured for seconds.
      const passes = contender === kanalog ? OWN_PASSES : 1;
      for (let pass = 0; pass < passes; pass++) ofContender.push(sum(await askEach(target)));
      report(`${work.name}: ${contender.name}, pass ${round} of ${rounds}`);
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
