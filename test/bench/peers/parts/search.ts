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
  const otherPasses = isQuick ? 1 : 3;
  // Every tenth string: a search of the others takes up to a second.
  const checked = work.wishes.filter((_, index) => index % 10 === 0);
  await requireSameRows([kanalog, fastify, pocketbase], checked);

  const passes = new Map<string, number[][]>([
    [kanalog.name, []],
    [fastify.name, []],
    [pocketbase.name, []],
  ]);
  for (let round = 0; round < otherPasses; round++) {
    for (const contender of [kanalog, fastify, pocketbase]) {
      const target = await targetOf(contender, work);
      if (target === null) throw new Error(`${contender.name} has no search`);
      const count = contender === kanalog ? Math.ceil(ownPasses / otherPasses) : 1;
      for (let pass = 0; pass < count; pass++) {
        passes.get(contender.name)?.push(await askEach(target));
      }
    }
  }

  const own = passes.get(kanalog.name) ?? [];
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
  const wholePass = (name: string): number =>
    median((passes.get(name) ?? []).map((pass) => pass.reduce((sum, value) => sum + value, 0)));
  const ratio = (other: Contender, least: number): Figure => ({
    ...common,
    name: `${work.name}, all strings / ${other.name}`,
    value: wholePass(other.name) / wholePass(kanalog.name),
    unit: "",
    least,
    note: `${(wholePass(kanalog.name) / work.wishes.length).toFixed(1)} ms to ${(wholePass(other.name) / work.wishes.length).toFixed(1)} ms a string`,
  });
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
