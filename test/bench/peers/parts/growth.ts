import { type LoadResult, load } from "../client/load.ts";
import type { Contender } from "../contenders/contender.ts";
import { startKanalog } from "../contenders/kanalog.ts";
import { targetOf } from "../contenders/paths.ts";
import { ensureDatabase } from "../data/generate.ts";
import type { Figure } from "../figures.ts";
import type { Work } from "../requests.ts";
import { drawWorks, type Part } from "../run.ts";
import { median, medianRatio } from "../statistics.ts";

const SIZES = [10_000, 100_000, 1_000_000];
const GROWTH_MOST = 3;
const FAR_PAGE_MOST = 1.2;
const PAGES = ["catalog -subscribers", "page far"] as const;

/** The same work with more and more channels, by one client; and the far page compared with the first. */
export const growth: Part = async ({ options, report }) => {
  const sizes = SIZES.filter((size) => size < options.channels);
  sizes.push(options.channels);
  const stages: { size: number; works: Work[]; kanalog: Contender }[] = [];
  for (const size of sizes) {
    const database = await ensureDatabase(options.dataRoot, size, report);
    stages.push({ size, works: drawWorks(database), kanalog: await startKanalog(database) });
  }
  try {
    const names = (stages[0]?.works ?? [])
      .map(({ name }) => name)
      .filter((name) => name.includes(options.work))
      // With a single size there is no growth, only the comparison of pages.
      .filter((name) => sizes.length > 1 || PAGES.some((page) => page === name));
    const results = new Map<string, LoadResult[]>();
    const key = (size: number, name: string): string => `${size} ${name}`;
    for (let round = 0; round < options.rounds; round++) {
      for (const name of names) {
        for (const { size, works, kanalog } of stages) {
          const work = works.find((one) => one.name === name);
          const target = work === undefined ? null : await targetOf(kanalog, work);
          if (target === null) throw new Error(`there is no work ${name}`);
          const result = await load(target, { connections: 1, seconds: options.seconds });
          results.set(key(size, name), [...(results.get(key(size, name)) ?? []), result]);
        }
      }
    }
    const p50s = (size: number, name: string): number[] =>
      (results.get(key(size, name)) ?? []).map(({ p50Ms }) => p50Ms);
    const p99 = (size: number, name: string): number =>
      median((results.get(key(size, name)) ?? []).map(({ p99Ms }) => p99Ms));
    const least = sizes[0] ?? 0;
    const grown = sizes.length > 1 ? names : [];
    const figures: Figure[] = grown.map((name) => ({
      part: "growth",
      name: `${name}, p50 at ${options.channels} / at ${least}`,
      value: medianRatio(p50s(options.channels, name), p50s(least, name)),
      unit: "",
      most: GROWTH_MOST,
      p50Ms: median(p50s(options.channels, name)),
      p99Ms: p99(options.channels, name),
      note: sizes.map((size) => `${median(p50s(size, name)).toFixed(2)} ms`).join(", "),
    }));
    const [first, far] = PAGES;
    if (PAGES.every((name) => names.includes(name))) {
      figures.push({
        part: "growth",
        name: "p50 of the 1,000th page / of the first",
        value: medianRatio(p50s(options.channels, far), p50s(options.channels, first)),
        unit: "",
        most: FAR_PAGE_MOST,
      });
    }
    return figures;
  } finally {
    for (const { kanalog } of stages) await kanalog.server.stop();
  }
};
