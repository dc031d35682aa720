import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { processorMs } from "../../../support/processor-time.ts";
import { type LoadResult, load, type Target } from "../client/load.ts";
import { askEach } from "../client/sequential.ts";
import { startConstants } from "../contenders/constant.ts";
import type { Contender } from "../contenders/contender.ts";
import { startFastify } from "../contenders/fastify.ts";
import { startKanalog } from "../contenders/kanalog.ts";
import { answerOf, requireSameRows, targetOf } from "../contenders/paths.ts";
import { startPocketbase } from "../contenders/pocketbase.ts";
import type { Figure } from "../figures.ts";
import { ROOT, run as runCommand } from "../processes.ts";
import type { Work } from "../requests.ts";
import type { Part, Run } from "../run.ts";
import { median, medianRatio } from "../statistics.ts";

const CONNECTIONS = 64;
/** Number of constant answers, enough for the wishes of most works; of the others, the first ones. */
const CONSTANTS = 400;
/** Wishes whose answers are compared before anything is measured. */
const CHECKED = 15;
/**
 * A contender slower than this gets longer rounds, so that some requests end within them, and fewer connections,
 * because requests left unanswered at the end of a round keep it busy during those of the others.
 */
const SLOW_MS = 100;
const SLOW_ROUND = { connections: 2, seconds: 10 };
const PROBED = 5;
const BARE_LOOP = join(ROOT, "test/bench/peers/contenders/bare-loop.ts");

/** Searches have their own part. */
const isCompared = (name: string): boolean => !name.startsWith("search");
/** Works of which HTTP is a large part, or with large answers. */
const hasConstant = (name: string): boolean =>
  /^(card|rare cards|post$|catalog -subscribers|statistics 27)/.test(name);
const hasBareLoop = (name: string): boolean =>
  /^(card by id|rare cards|100 ids|statistics)/.test(name);

/** Answers per second compared with the others', over 64 connections. */
export const compare: Part = async (run) => {
  const works = run.works.filter(({ name }) => isCompared(name) && name.includes(run.options.work));
  const kanalog = await startKanalog(run.database);
  const fastify = await startFastify(run.database);
  const pocketbase = await startPocketbase(run.database);
  const contenders = [kanalog, fastify, pocketbase];
  const answers: string[][] = [];
  for (const work of works) {
    answers.push(hasConstant(work.name) ? await answersOf(kanalog, work) : []);
  }
  const constants = await startConstants(dirname(run.database), answers);
  try {
    const figures: Figure[] = [];
    for (const [at, work] of works.entries()) {
      // Requested with the same headers.
      const { headers } = kanalog;
      const paths = (answers[at] ?? []).map((_, nth) => `/${at}/${nth}`);
      const constant = { address: constants.address, headers, paths };
      figures.push(...(await compareWork(run, work, contenders, constant)));
    }
    return figures;
  } finally {
    for (const { stop } of [...contenders.map(({ server }) => server), constants]) await stop();
  }
};

/** Kanalog's answers to a work, which bare Elysia returns as constants. */
async function answersOf(contender: Contender, { wishes }: Work): Promise<string[]> {
  const answers: string[] = [];
  for (const wish of wishes.slice(0, CONSTANTS)) answers.push(await answerOf(contender, wish));
  return answers;
}

async function compareWork(
  run: Run,
  work: Work,
  contenders: readonly Contender[],
  constant: Target,
): Promise<Figure[]> {
  const targets = new Map<string, Target & { pid?: number }>();
  const able: Contender[] = [];
  for (const contender of contenders) {
    const target = await targetOf(contender, work);
    if (target === null) continue;
    targets.set(contender.name, { ...target, pid: contender.server.pid });
    able.push(contender);
  }
  if (constant.paths.length > 0) targets.set("Elysia", constant);
  await requireSameRows(able, work.wishes.slice(0, CHECKED));
  const measured = await measure(run, work, targets);
  run.report(
    `${work.name}: ${[...measured.rates].map(([name, all]) => `${name} ${median(all).toFixed(0)}/s`).join(", ")}`,
  );
  return ratios(work, measured);
}

interface Measured {
  /** Answers per second by contender, for each round. */
  rates: Map<string, number[]>;
  /** Microseconds of processor time per answer, likewise; on a busy machine it says more than the rate. */
  processor: Map<string, number[]>;
  /** Kanalog with one client. */
  alone: LoadResult[];
}

/** Measures the contenders in turn, in each round. */
async function measure(
  run: Run,
  work: Work,
  targets: ReadonlyMap<string, Target & { pid?: number }>,
): Promise<Measured> {
  const { rounds, seconds } = run.options;
  const rates = new Map<string, number[]>();
  const processor = new Map<string, number[]>();
  const note = (name: string, value: number, of = rates): void => {
    of.set(name, [...(of.get(name) ?? []), value]);
  };
  const alone: LoadResult[] = [];
  const slow = new Set<string>();
  for (const [name, target] of targets) {
    const probe = await askEach({ ...target, paths: target.paths.slice(0, PROBED) });
    if (median(probe) > SLOW_MS) slow.add(name);
  }
  for (let done = 0; done < rounds; done++) {
    for (const [name, target] of targets) {
      if (name === "Kanalog") alone.push(await load(target, { connections: 1, seconds }));
      const round = slow.has(name) ? SLOW_ROUND : { connections: CONNECTIONS, seconds };
      const { pid } = target;
      const usedMs = pid === undefined ? 0 : processorMs(pid);
      const { perSecond } = await load(target, round);
      note(name, perSecond);
      // Waits until the requests abandoned at the end of the round are finished.
      await askEach({ ...target, paths: target.paths.slice(0, 1) });
      if (pid !== undefined) {
        const answers = perSecond * round.seconds;
        note(name, (1000 * (processorMs(pid) - usedMs)) / answers, processor);
      }
    }
    if (!hasBareLoop(work.name)) continue;
    note("bare loop", await bareLoop(run, work, "columns"));
    if (!work.name.startsWith("statistics")) {
      note("bare loop of stored texts", await bareLoop(run, work, "texts"));
    }
  }
  return { rates, processor, alone };
}

/** Kanalog's answers per second divided by each other contender's. */
function ratios(work: Work, { rates, processor, alone }: Measured): Figure[] {
  const own = rates.get("Kanalog") ?? [];
  const p50Ms = median(alone.map((result) => result.p50Ms));
  const p99Ms = median(alone.map((result) => result.p99Ms));
  return [...rates]
    .filter(([name]) => name !== "Kanalog")
    .map(([name, others]) => {
      const least = leastRatio(work.name, name);
      return {
        part: "compare",
        name: `${work.name} / ${name}`,
        value: medianRatio(own, others),
        unit: "",
        ...(least !== null && { least }),
        p50Ms,
        p99Ms,
        perSecond: median(own),
        note: [
          `${median(own).toFixed(0)}/s to ${median(others).toFixed(0)}/s`,
          ...processorNote(processor.get("Kanalog"), processor.get(name)),
        ].join(", "),
      };
    });
}

function processorNote(own: number[] = [], others: number[] = []): string[] {
  if (own.length === 0 || others.length === 0) return [];
  const ratio = medianRatio(others, own).toFixed(2);
  return [
    `${ratio} by processor time: ${median(own).toFixed(0)} us to ${median(others).toFixed(0)} us`,
  ];
}

/** Least ratios to Fastify, of works of which more is asked than that it is not slower. */
const LEAST_OF_FASTIFY: Readonly<Record<string, number>> = {
  "catalog -subscribers": 1.6,
  "catalog -quality": 1.6,
  "catalog -citation": 1.6,
  "catalog -last_post_at": 1.6,
  "catalog filtered": 60,
  mix: 60,
  "100 ids": 3,
  "statistics 27 x 366": 1.6,
};

/** Targets: the least ratio of Kanalog to another contender; null if it is there for information. */
function leastRatio(work: string, other: string): number | null {
  if (other === "Fastify") return LEAST_OF_FASTIFY[work] ?? 1;
  if (other === "PocketBase") return 1;
  return other === "Elysia" && work.startsWith("card") ? 0.6 : null;
}

async function bareLoop(
  { database, options }: Run,
  { wishes }: Work,
  cards: "columns" | "texts",
): Promise<number> {
  const file = join(dirname(database), "wishes.json");
  writeFileSync(file, JSON.stringify(wishes));
  const words = [process.execPath, BARE_LOOP, database, file, String(options.seconds), cards];
  return Number(await runCommand(words));
}
